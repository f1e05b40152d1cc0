package sluice;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** {@code sluice.h} spelled in JNA. The library is the file in the property {@code sluice.library} or in $SLUICE_LIBRARY, else what the system finds. */
final class Native {
  static {
    if (com.sun.jna.Native.SIZE_T_SIZE != 8) throw new UnsatisfiedLinkError("sluice: found a size_t of " + com.sun.jna.Native.SIZE_T_SIZE + " bytes, expected 8");
    String named = System.getProperty("sluice.library", System.getenv("SLUICE_LIBRARY"));
    com.sun.jna.Native.register(Native.class, named == null || named.isEmpty() ? "sluice" : named);
  }

  private Native() {}

  static native int sluice_version();

  static native Pointer sluice_engine_new(byte[] config, long len);

  static native Pointer sluice_engine_error(Pointer engine, long[] len);

  static native void sluice_engine_free(Pointer engine);

  static native Pointer sluice_turn_new(Pointer engine, byte[] config, long len);

  static native Pointer sluice_turn_restore(Pointer engine, byte[] state, long len);

  static native void sluice_turn_free(Pointer turn);

  static native int sluice_turn_response(Pointer turn, int status, byte[] headers, long len);

  static native int sluice_turn_feed(Pointer turn, byte[] bytes, long len);

  static native int sluice_turn_finish(Pointer turn, int how, byte[] detail, long len);

  static native int sluice_turn_approve(Pointer turn, int call, int decision, byte[] edited, long len);

  static native int sluice_turn_deny(Pointer turn, int call, byte[] reason, long len);

  static native int sluice_turn_refuse(Pointer turn, int call, byte[] reason, long len);

  static native int sluice_turn_judge(Pointer turn, int call, byte[] rules, long len);

  static native int sluice_turn_conclude(Pointer turn, int how, byte[] text, long len);

  static native int sluice_turn_cancel(Pointer turn, int call, byte[] reason, long len);

  static native int sluice_turn_submit(Pointer turn, int call, int kind, byte[] data, long len);

  static native int sluice_turn_resolve(Pointer turn, int call, byte[] arguments, long len);

  static native int sluice_turn_call(Pointer turn, int caller, byte[] call, long len);

  static native long sluice_turn_tick(Pointer turn, long now);

  static native Pointer sluice_turn_next_event(Pointer turn, long[] len);

  static native Pointer sluice_turn_next_delta(Pointer turn, int[] kind, int[] index, long[] len);

  static native Pointer sluice_turn_find_tool(Pointer turn, byte[] name, long nameLen, long[] len);

  static native Pointer sluice_turn_get(Pointer turn, int what, long[] len);

  /** Bytes and their number, as a function takes them. */
  record Lent(byte[] bytes, long size) {}

  /** UTF-8 of a text, half a surrogate pair as U+FFFD; null is NULL. */
  static Lent lent(String text) {
    if (text == null) return new Lent(null, 0);
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE)
          .replaceWith(new byte[] {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD}).encode(CharBuffer.wrap(text));
      return new Lent(bytes.array(), bytes.limit());
    } catch (CharacterCodingException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Copies what the library lends until the next call; NULL is null. */
  static String owned(Pointer text, long[] size) {
    return text == null ? null : new String(text.getByteArray(0, Math.toIntExact(size[0])), StandardCharsets.UTF_8);
  }
}
