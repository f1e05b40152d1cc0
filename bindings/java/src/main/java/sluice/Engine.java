package sluice;

import java.lang.ref.Reference;

/** Tools and defaults, compiled once. Immutable: threads may share it. Closing it leaves its turns alive. */
public final class Engine extends Handle {
  /** Makes an engine from {"tools":[...], "protocols":[...], and defaults for every turn}. Throws SluiceException if it is not accepted. */
  public Engine(String config) {
    this(Native.lent(config));
    long[] size = new long[1];
    String why = Native.owned(Native.sluice_engine_error(open(), size), size);
    if (why == null) return;
    close();
    throw SluiceException.read(why);
  }

  private Engine(Native.Lent config) {
    super(Native.sluice_engine_new(config.bytes(), config.size()), Native::sluice_engine_free);
  }

  /** Makes a turn from {"wire":"openai-chat","request":{...}, and members that replace the engine's defaults}. */
  public Turn turn(String config) {
    try {
      Native.Lent lent = Native.lent(config);
      return new Turn(Native.sluice_turn_new(open(), lent.bytes(), lent.size()));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Makes a turn from a state of {@link Document#STATE}. Accept states only from sources from which you would accept code. */
  public Turn restore(String state) {
    try {
      Native.Lent lent = Native.lent(state);
      return new Turn(Native.sluice_turn_restore(open(), lent.bytes(), lent.size()));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** The library's version: major &lt;&lt; 16 | minor &lt;&lt; 8 | patch. */
  public static int version() {
    return Native.sluice_version();
  }
}
