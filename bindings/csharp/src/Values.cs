using System;

namespace Sluice
{
    /// <summary>How an answer ended: <see cref="Turn.Finish"/>.</summary>
    public enum End
    {
        /// <summary>The body was read to its end.</summary>
        Complete = 0,
        /// <summary>The connection broke or was never made.</summary>
        Network = 1,
        /// <summary>The host stopped reading, as after <c>abortRequest</c>.</summary>
        Aborted = 2,
        /// <summary>Forget this answer and ask again; allowed while nothing of it was shown or run.</summary>
        Retry = 3,
        /// <summary>The host itself failed. Asking again cannot help.</summary>
        Hook = 4,
        /// <summary>Forget this answer, and ask again in mode text; allowed as <c>Retry</c> is, in mode auto.</summary>
        Fallback = 5,
    }

    /// <summary>What the user decided: <see cref="Turn.Approve"/>.</summary>
    [Flags]
    public enum Decision
    {
        /// <summary>Let this call run.</summary>
        Once = 0,
        /// <summary>And further calls like it in this turn.</summary>
        Turn = 1,
        /// <summary>And in later turns of this session: a <c>rule</c> event asks the host to keep it.</summary>
        Session = 2,
        /// <summary>And for ever: also a <c>rule</c> event.</summary>
        Always = 3,
        /// <summary>Give the result of this call to the model.</summary>
        Release = 4,
        /// <summary>With Turn, Session or Always: "like it" means exactly these arguments.</summary>
        Exact = 256,
    }

    /// <summary>How policy and rules judge a call: <see cref="Turn.Judge"/>.</summary>
    public enum Gate
    {
        /// <summary>It may run.</summary>
        Run = 0,
        /// <summary>The user must be asked.</summary>
        Ask = 1,
        /// <summary>It must not run.</summary>
        Deny = 2,
    }

    /// <summary>What a tool delivers: <see cref="Turn.Submit"/>.</summary>
    public enum Kind
    {
        /// <summary>The result: text.</summary>
        Result = 0,
        /// <summary>The result: one JSON value.</summary>
        ResultJson = 1,
        /// <summary>The result: [{"type":"text","text":...},{"type":"image","mediaType":...,"data":...}].</summary>
        ResultParts = 2,
        /// <summary>The tool failed: text.</summary>
        Failure = 3,
        /// <summary>Still running: text.</summary>
        Progress = 4,
        /// <summary>{"output":...,"hostOutput":...}: what the tool gave, and what the model reads in its place.</summary>
        Rewritten = 5,
    }

    /// <summary>What becomes of a final answer: <see cref="Turn.Conclude"/>.</summary>
    public enum Final
    {
        /// <summary>The turn ends with it.</summary>
        Accept = 0,
        /// <summary>The model reads why not, and answers again.</summary>
        Retry = 1,
        /// <summary>The turn ends with another text in its place.</summary>
        Replace = 2,
        /// <summary>As Retry, but the model reads it as a system message, not as one of the user.</summary>
        RetryBySystem = 257,
    }

    /// <summary>Documents that can be read at any time: <see cref="Turn.Get"/>.</summary>
    public enum Document
    {
        /// <summary>The body of the request to send; null while there is none to send.</summary>
        Request = 1,
        /// <summary>The assistant message so far, block by block.</summary>
        Message = 2,
        /// <summary>The messages that this turn adds to the conversation.</summary>
        History = 3,
        /// <summary>What this configuration exposes to the model, why the rest is hidden, and every setting.</summary>
        Tools = 4,
        /// <summary>The rendered {{tools}}: a JSON string.</summary>
        Prompt = 5,
        /// <summary>The state that <see cref="Engine.Restore"/> reads.</summary>
        State = 6,
        /// <summary>The last error of this turn; null if there was none.</summary>
        Error = 7,
    }
}
