using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Sluice
{
    /// <summary>An engine of the library; freed once, also where nobody closes it.</summary>
    internal sealed class EngineHandle : SafeHandle
    {
        private EngineHandle() : base(IntPtr.Zero, true) { }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            Native.sluice_engine_free(handle);
            return true;
        }
    }

    /// <summary>A turn of the library; freed once, also where nobody closes it.</summary>
    internal sealed class TurnHandle : SafeHandle
    {
        private TurnHandle() : base(IntPtr.Zero, true) { }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            Native.sluice_turn_free(handle);
            return true;
        }
    }

    /// <summary><c>sluice.h</c> spelled in P/Invoke. The system finds the library by the name <c>sluice</c>.</summary>
    internal static class Native
    {
        private const string Library = "sluice";
        private const CallingConvention C = CallingConvention.Cdecl;
        private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false); // half a surrogate pair becomes U+FFFD

        [DllImport(Library, CallingConvention = C)] internal static extern uint sluice_version();
        [DllImport(Library, CallingConvention = C)] internal static extern EngineHandle sluice_engine_new(byte[] config, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr sluice_engine_error(EngineHandle engine, out UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern void sluice_engine_free(IntPtr engine);
        [DllImport(Library, CallingConvention = C)] internal static extern TurnHandle sluice_turn_new(EngineHandle engine, byte[] config, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern TurnHandle sluice_turn_restore(EngineHandle engine, byte[] state, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern void sluice_turn_free(IntPtr turn);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_response(TurnHandle turn, int status, byte[] headers, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_feed(TurnHandle turn, byte[] bytes, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_finish(TurnHandle turn, int how, byte[] detail, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_approve(TurnHandle turn, uint call, int decision, byte[] edited, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_deny(TurnHandle turn, uint call, byte[] reason, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_refuse(TurnHandle turn, uint call, byte[] reason, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_judge(TurnHandle turn, uint call, byte[] rules, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_conclude(TurnHandle turn, int how, byte[] text, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_cancel(TurnHandle turn, uint call, byte[] reason, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_submit(TurnHandle turn, uint call, int kind, byte[] data, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_resolve(TurnHandle turn, uint call, byte[] arguments, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern int sluice_turn_call(TurnHandle turn, uint caller, byte[] call, UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern long sluice_turn_tick(TurnHandle turn, long now);
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr sluice_turn_next_event(TurnHandle turn, out UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr sluice_turn_next_delta(TurnHandle turn, out int kind, out uint index, out UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr sluice_turn_find_tool(TurnHandle turn, byte[] name, UIntPtr nameLen, out UIntPtr len);
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr sluice_turn_get(TurnHandle turn, int what, out UIntPtr len);

        /// <summary>UTF-8 of a text; null is NULL.</summary>
        internal static byte[] Lent(string text, out UIntPtr size)
        {
            if (text == null)
            {
                size = UIntPtr.Zero;
                return null;
            }
            return Lent(Utf8.GetBytes(text), out size);
        }

        internal static byte[] Lent(byte[] bytes, out UIntPtr size)
        {
            size = new UIntPtr((uint)bytes.Length);
            return bytes.Length > 0 ? bytes : new byte[1]; // an empty text has an address too
        }

        /// <summary>Copies what the library lends until the next call; NULL is null.</summary>
        internal static string Owned(IntPtr text, UIntPtr size)
        {
            if (text == IntPtr.Zero) return null;
            var bytes = new byte[checked((int)size.ToUInt64())];
            Marshal.Copy(text, bytes, 0, bytes.Length);
            return Utf8.GetString(bytes);
        }
    }
}
