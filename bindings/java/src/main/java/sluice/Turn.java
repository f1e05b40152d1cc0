package sluice;

import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * One input of the user, one message of the assistant; {@link Engine#turn} makes it. One thread at a time may use it, any thread. Every method throws
 * SluiceException for a mistake of the host. A text that may be left out is null.
 */
public final class Turn extends Handle {
  /** How an answer ended: the body was read to its end. */
  public static final int COMPLETE = 0;
  /** How an answer ended: the connection broke or was never made. */
  public static final int NETWORK = 1;
  /** How an answer ended: the host stopped reading, as after {@code abortRequest}. */
  public static final int ABORTED = 2;
  /** How an answer ended: forget it and ask again; allowed while nothing of it was shown or run. */
  public static final int RETRY = 3;
  /** How an answer ended: the host itself failed. Asking again cannot help. */
  public static final int HOOK = 4;
  /** How an answer ended: forget it and ask again in mode text; allowed as RETRY is, in mode auto. */
  public static final int FALLBACK = 5;

  /** A decision: let this call run. */
  public static final int ONCE = 0;
  /** A decision: and further calls like it in this turn. */
  public static final int TURN = 1;
  /** A decision: and in later turns of this session; a {@code rule} event asks the host to keep it. */
  public static final int SESSION = 2;
  /** A decision: and for ever; also a {@code rule} event. */
  public static final int ALWAYS = 3;
  /** A decision: give the result of this call to the model. */
  public static final int RELEASE = 4;
  /** Added to TURN, SESSION or ALWAYS: "like it" means exactly these arguments. */
  public static final int EXACT = 256;

  /** How policy and rules judge a call: it may run. */
  public static final int GATE_RUN = 0;
  /** How policy and rules judge a call: the user must be asked. */
  public static final int GATE_ASK = 1;
  /** How policy and rules judge a call: it must not run. */
  public static final int GATE_DENY = 2;

  /** What a tool delivers: the result, text. */
  public static final int RESULT = 0;
  /** What a tool delivers: the result, one JSON value. */
  public static final int RESULT_JSON = 1;
  /** What a tool delivers: the result, [{"type":"text","text":...},{"type":"image","mediaType":...,"data":...}]. */
  public static final int RESULT_PARTS = 2;
  /** What a tool delivers: it failed, text. */
  public static final int FAILURE = 3;
  /** What a tool delivers: it is still running, text. */
  public static final int PROGRESS = 4;
  /** What a tool delivers: {"output":...,"hostOutput":...}, what it gave and what the model reads in its place. */
  public static final int REWRITTEN = 5;

  /** What becomes of a final answer: the turn ends with it. */
  public static final int FINAL_ACCEPT = 0;
  /** What becomes of a final answer: the model reads why not, and answers again. */
  public static final int FINAL_RETRY = 1;
  /** What becomes of a final answer: the turn ends with another text in its place. */
  public static final int FINAL_REPLACE = 2;
  /** Added to FINAL_RETRY: the model reads it as a system message, not as one of the user. */
  public static final int FINAL_SYSTEM = 256;

  private final long[] size = new long[1];

  Turn(Pointer made) {
    super(made, Native::sluice_turn_free);
    String why = get(Document.ERROR);
    if (why == null) return;
    close();
    throw SluiceException.read(why);
  }

  private int done(int code) {
    if (code < 0) throw SluiceException.read(get(Document.ERROR));
    Reference.reachabilityFence(this);
    return code;
  }

  private String owned(Pointer text) {
    String copy = Native.owned(text, size);
    Reference.reachabilityFence(this);
    return copy;
  }

  /** Gives status and headers of the response: {"lower-case name":"value"}, or null. Optional: without it the status is 200. */
  public void response(int status, String headers) {
    Native.Lent lent = Native.lent(headers);
    done(Native.sluice_turn_response(open(), status, lent.bytes(), lent.size()));
  }

  /** Gives bytes of the response's body, of any size, split anywhere. */
  public void feed(byte[] bytes) {
    done(Native.sluice_turn_feed(open(), bytes, bytes.length));
  }

  /** Ends the answer: COMPLETE to FALLBACK. {@code detail}: text such as the network's error, or null. */
  public void finish(int how, String detail) {
    Native.Lent lent = Native.lent(detail);
    done(Native.sluice_turn_finish(open(), how, lent.bytes(), lent.size()));
  }

  /**
   * Lets a waiting call run, or releases its result: ONCE to RELEASE, + EXACT. {@code edited}: arguments that replace the model's, or null. Call 0: every
   * call that waits for execution and whose event was polled.
   */
  public void approve(int call, int decision, String edited) {
    Native.Lent lent = Native.lent(edited);
    done(Native.sluice_turn_approve(open(), call, decision, lent.bytes(), lent.size()));
  }

  /** Denies what a call waits for. {@code reason}: text for the model, or null. */
  public void deny(int call, String reason) {
    Native.Lent lent = Native.lent(reason);
    done(Native.sluice_turn_deny(open(), call, lent.bytes(), lent.size()));
  }

  /** Denies on behalf of the host: nobody could be asked, or its own policy forbids the call. */
  public void refuse(int call, String reason) {
    Native.Lent lent = Native.lent(reason);
    done(Native.sluice_turn_refuse(open(), call, lent.bytes(), lent.size()));
  }

  /** Judges a call by these rules, an array as in the configuration: GATE_RUN, GATE_ASK or GATE_DENY. Changes nothing. */
  public int judge(int call, String rules) {
    Native.Lent lent = Native.lent(rules);
    return done(Native.sluice_turn_judge(open(), call, lent.bytes(), lent.size()));
  }

  /** Decides about the answer of a {@code final} event: FINAL_*. {@code text}: what the model reads, or what stands in the answer's place; else null. */
  public void conclude(int how, String text) {
    Native.Lent lent = Native.lent(text);
    done(Native.sluice_turn_conclude(open(), how, lent.bytes(), lent.size()));
  }

  /** Cancels a call, or with 0 the turn. {@code reason}: text, or null. */
  public void cancel(int call, String reason) {
    Native.Lent lent = Native.lent(reason);
    done(Native.sluice_turn_cancel(open(), call, lent.bytes(), lent.size()));
  }

  /** Gives the result, failure or progress of a call whose {@code execute} event was polled: RESULT to REWRITTEN. */
  public void submit(int call, int kind, String data) {
    Native.Lent lent = Native.lent(data);
    done(Native.sluice_turn_submit(open(), call, kind, lent.bytes(), lent.size()));
  }

  /** Tells the arguments that the host runs a call with, if it resolves references that the model wrote; null: as they are. */
  public void resolve(int call, String arguments) {
    Native.Lent lent = Native.lent(arguments);
    done(Native.sluice_turn_resolve(open(), call, lent.bytes(), lent.size()));
  }

  /** Lets the tool of a call that runs call another one: {"name":...,"arguments":{...}}. Returns the number of the new call. */
  public int call(int caller, String call) {
    Native.Lent lent = Native.lent(call);
    return done(Native.sluice_turn_call(open(), caller, lent.bytes(), lent.size()));
  }

  /** Tells the time in Unix milliseconds: before feed, submit and approve. Returns when to call again at the latest; empty for never. */
  public OptionalLong tick(long now) {
    long next = Native.sluice_turn_tick(open(), now);
    if (next < 0) done((int) next);
    Reference.reachabilityFence(this);
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }

  /** The next event; null if there is none. */
  public Event nextEvent() {
    String json = owned(Native.sluice_turn_next_event(open(), size));
    return json == null ? null : new Event(json);
  }

  /** Every waiting event; those that come meanwhile are among them. */
  public Iterable<Event> events() {
    return () -> new Draining<>(this::nextEvent);
  }

  /** The next event if it is a piece of text, which is told without JSON; else null: ask {@link #nextEvent}. */
  public Delta nextDelta() {
    int[] kind = new int[1];
    int[] index = new int[1];
    String text = owned(Native.sluice_turn_next_delta(open(), kind, index, size));
    return text == null ? null : new Delta(kind[0], index[0], text);
  }

  /** Every waiting event in order: text as a {@link Delta}, which is faster than JSON, any other as an {@link Event}. */
  public Iterable<Piece> pieces() {
    return () -> new Draining<>(() -> {
      Delta delta = nextDelta();
      return delta != null ? delta : nextEvent();
    });
  }

  /** The tool that a model means by this name: {"tool":"weather.now"}, or {"suggestions":[...]}. */
  public String findTool(String name) {
    Native.Lent lent = Native.lent(name);
    return owned(Native.sluice_turn_find_tool(open(), lent.bytes(), lent.size(), size));
  }

  /** A document about the turn, as JSON text; null if there is none. */
  public String get(Document what) {
    return owned(Native.sluice_turn_get(open(), what.ordinal() + 1, size));
  }

  /** What waits, until there is nothing more. */
  private static final class Draining<T> implements Iterator<T> {
    private final Supplier<T> next;
    private T held;

    Draining(Supplier<T> next) {
      this.next = next;
    }

    @Override
    public boolean hasNext() {
      if (held == null) held = next.get();
      return held != null;
    }

    @Override
    public T next() {
      if (!hasNext()) throw new NoSuchElementException();
      T given = held;
      held = null;
      return given;
    }
  }
}
