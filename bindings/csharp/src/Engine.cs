using System;

namespace Sluice
{
    /// <summary>Tools and defaults, compiled once. Immutable: threads may share it. Disposing of it leaves its turns alive.</summary>
    public sealed class Engine : IDisposable
    {
        private readonly EngineHandle handle;

        /// <summary>Makes an engine from {"tools":[...], "protocols":[...], and defaults for every turn}.</summary>
        /// <exception cref="SluiceException">The configuration is not accepted.</exception>
        public Engine(string config)
        {
            var bytes = Native.Lent(config, out var size);
            handle = Native.sluice_engine_new(bytes, size);
            if (handle.IsInvalid) throw SluiceException.Read(null);
            var why = Native.Owned(Native.sluice_engine_error(handle, out size), size);
            if (why == null) return;
            Dispose();
            throw SluiceException.Read(why);
        }

        /// <summary>The library's version.</summary>
        public static Version LibraryVersion
        {
            get
            {
                var number = (int)Native.sluice_version();
                return new Version(number >> 16, number >> 8 & 255, number & 255);
            }
        }

        /// <summary>Makes a turn from {"wire":"openai-chat","request":{...}, and members that replace the engine's defaults}.</summary>
        /// <exception cref="SluiceException">The configuration is not accepted.</exception>
        public Turn NewTurn(string config)
        {
            var bytes = Native.Lent(config, out var size);
            return new Turn(Native.sluice_turn_new(handle, bytes, size));
        }

        /// <summary>Makes a turn from a state of <see cref="Document.State"/>. Accept states only from sources from which you would accept code.</summary>
        /// <exception cref="SluiceException">The state is not accepted.</exception>
        public Turn Restore(string state)
        {
            var bytes = Native.Lent(state, out var size);
            return new Turn(Native.sluice_turn_restore(handle, bytes, size));
        }

        /// <summary>Frees the native memory. May be called twice.</summary>
        public void Dispose() => handle.Dispose();
    }
}
