using System;
using System.Globalization;

namespace Sluice
{
    /// <summary>What was wrong with a call.</summary>
    public enum ErrorCode
    {
        /// <summary>A value that the function does not accept.</summary>
        Argument = -1,
        /// <summary>Not possible in this state; nothing changed.</summary>
        State = -2,
        /// <summary>No such call.</summary>
        NotFound = -3,
        /// <summary>A document that is unreadable or invalid.</summary>
        Json = -4,
        /// <summary>Larger than a limit of the configuration.</summary>
        Limit = -5,
        /// <summary>This version lacks it; the message names it.</summary>
        Unsupported = -6,
        /// <summary>Memory is short.</summary>
        Memory = -100,
        /// <summary>A bug of Sluice.</summary>
        Internal = -101,
    }

    /// <summary>A mistake of the host. What a model, a provider, the network or a tool does wrong is an event, never an exception.</summary>
    public sealed class SluiceException : Exception
    {
        private SluiceException(ErrorCode code, string name, string detail, string path)
            : base(name + ": " + detail + (path.Length > 0 ? " (" + path + ")" : ""))
        {
            Code = code;
            Name = name;
            Detail = detail;
            Path = path;
        }

        /// <summary>What was wrong.</summary>
        public ErrorCode Code { get; }

        /// <summary>The code's name: <c>state</c>.</summary>
        public string Name { get; }

        /// <summary>What was found, and what was expected.</summary>
        public string Detail { get; }

        /// <summary>The place in a document: <c>tools[3].parameters</c>. Empty: none.</summary>
        public string Path { get; }

        /// <summary>Reads {code, name, message, path}; null: memory was too short even for that.</summary>
        internal static SluiceException Read(string document)
        {
            if (document == null) return new SluiceException(ErrorCode.Memory, "memory", "memory is short", "");
            var code = int.Parse(Json.Member(document, "code"), CultureInfo.InvariantCulture);
            return new SluiceException((ErrorCode)code, Json.Text(document, "name"), Json.Text(document, "message"), Json.Text(document, "path"));
        }
    }
}
