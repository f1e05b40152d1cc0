using System;
using System.Collections.Generic;

namespace Sluice
{
    /// <summary>
    /// One input of the user, one message of the assistant; <see cref="Engine.NewTurn"/> makes it. One thread at a time may use it, any thread. After every
    /// call that changes it, drain <see cref="Events"/>. Every method throws <see cref="SluiceException"/> for a mistake of the host, and
    /// ObjectDisposedException behind <see cref="Dispose"/>. A text that may be left out is null.
    /// </summary>
    public sealed class Turn : IDisposable
    {
        private readonly TurnHandle handle;

        internal Turn(TurnHandle made)
        {
            handle = made;
            if (handle.IsInvalid) throw SluiceException.Read(null);
            var why = Get(Document.Error);
            if (why == null) return;
            Dispose();
            throw SluiceException.Read(why);
        }

        /// <summary>Frees the native memory. May be called twice.</summary>
        public void Dispose() => handle.Dispose();

        private int Done(int code)
        {
            if (code < 0) throw SluiceException.Read(Get(Document.Error));
            return code;
        }

        /// <summary>Gives status and headers of the response: {"lower-case name":"value"}, or null. Optional: without it the status is 200.</summary>
        public void Response(int status, string headers = null)
        {
            var bytes = Native.Lent(headers, out var size);
            Done(Native.sluice_turn_response(handle, status, bytes, size));
        }

        /// <summary>Gives bytes of the response's body, of any size, split anywhere.</summary>
        public void Feed(byte[] data)
        {
            var bytes = Native.Lent(data, out var size);
            Done(Native.sluice_turn_feed(handle, bytes, size));
        }

        /// <summary>Ends the answer. <paramref name="detail"/>: text such as the network's error.</summary>
        public void Finish(End how = End.Complete, string detail = null)
        {
            var bytes = Native.Lent(detail, out var size);
            Done(Native.sluice_turn_finish(handle, (int)how, bytes, size));
        }

        /// <summary>
        /// Lets a waiting call run, or releases its result. <paramref name="edited"/>: arguments that replace the model's. Call 0: every call that waits for
        /// execution and whose event was polled.
        /// </summary>
        public void Approve(uint call, Decision decision = Decision.Once, string edited = null)
        {
            var bytes = Native.Lent(edited, out var size);
            Done(Native.sluice_turn_approve(handle, call, (int)decision, bytes, size));
        }

        /// <summary>Denies what a call waits for. <paramref name="reason"/>: text for the model.</summary>
        public void Deny(uint call, string reason = null)
        {
            var bytes = Native.Lent(reason, out var size);
            Done(Native.sluice_turn_deny(handle, call, bytes, size));
        }

        /// <summary>Denies on behalf of the host: nobody could be asked, or its own policy forbids the call.</summary>
        public void Refuse(uint call, string reason = null)
        {
            var bytes = Native.Lent(reason, out var size);
            Done(Native.sluice_turn_refuse(handle, call, bytes, size));
        }

        /// <summary>Judges a call by these rules, an array as in the configuration. Changes nothing.</summary>
        public Gate Judge(uint call, string rules)
        {
            var bytes = Native.Lent(rules, out var size);
            return (Gate)Done(Native.sluice_turn_judge(handle, call, bytes, size));
        }

        /// <summary>Decides about the answer of a <c>final</c> event. <paramref name="text"/>: what the model reads, or what stands in the answer's place.</summary>
        public void Conclude(Final how, string text = null)
        {
            var bytes = Native.Lent(text, out var size);
            Done(Native.sluice_turn_conclude(handle, (int)how, bytes, size));
        }

        /// <summary>Cancels a call, or with 0 the turn.</summary>
        public void Cancel(uint call = 0, string reason = null)
        {
            var bytes = Native.Lent(reason, out var size);
            Done(Native.sluice_turn_cancel(handle, call, bytes, size));
        }

        /// <summary>Gives the result, failure or progress of a call whose <c>execute</c> event was polled.</summary>
        public void Submit(uint call, string data, Kind kind = Kind.Result)
        {
            var bytes = Native.Lent(data, out var size);
            Done(Native.sluice_turn_submit(handle, call, (int)kind, bytes, size));
        }

        /// <summary>Tells the arguments that the host runs a call with, if it resolves references that the model wrote.</summary>
        public void Resolve(uint call, string arguments = null)
        {
            var bytes = Native.Lent(arguments, out var size);
            Done(Native.sluice_turn_resolve(handle, call, bytes, size));
        }

        /// <summary>Lets the tool of a call that runs call another one: {"name":...,"arguments":{...}}. Returns the number of the new call.</summary>
        public uint Call(uint caller, string call)
        {
            var bytes = Native.Lent(call, out var size);
            return (uint)Done(Native.sluice_turn_call(handle, caller, bytes, size));
        }

        /// <summary>Tells the time in Unix milliseconds: before Feed, Submit and Approve. Returns when to call again at the latest; null for never.</summary>
        public long? Tick(long now)
        {
            var next = Native.sluice_turn_tick(handle, now);
            if (next < 0) Done((int)next);
            return next == long.MaxValue ? (long?)null : next;
        }

        /// <summary>The next event; null if there is none.</summary>
        public Event NextEvent()
        {
            var json = Native.Owned(Native.sluice_turn_next_event(handle, out var size), size);
            return json == null ? null : new Event(json);
        }

        /// <summary>Every waiting event; those that come meanwhile are among them.</summary>
        public IEnumerable<Event> Events()
        {
            for (Event next; (next = NextEvent()) != null;) yield return next;
        }

        /// <summary>The next event if it is a piece of text, which is told without JSON; else null: ask <see cref="NextEvent"/>.</summary>
        public Delta NextDelta()
        {
            var text = Native.Owned(Native.sluice_turn_next_delta(handle, out var kind, out var index, out var size), size);
            return text == null ? null : new Delta((DeltaKind)kind, index, text);
        }

        /// <summary>Every waiting event in order: text as a <see cref="Delta"/>, which is faster than JSON, any other as an <see cref="Event"/>.</summary>
        public IEnumerable<Piece> Pieces()
        {
            for (Piece next; (next = NextDelta() ?? (Piece)NextEvent()) != null;) yield return next;
        }

        /// <summary>The tool that a model means by this name: {"tool":"weather.now"}, or {"suggestions":[...]}.</summary>
        public string FindTool(string name)
        {
            var bytes = Native.Lent(name, out var size);
            return Native.Owned(Native.sluice_turn_find_tool(handle, bytes, size, out var length), length);
        }

        /// <summary>A document about the turn, as JSON text; null if there is none.</summary>
        public string Get(Document what) => Native.Owned(Native.sluice_turn_get(handle, (int)what, out var size), size);
    }
}
