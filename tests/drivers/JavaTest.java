import java.nio.charset.StandardCharsets;
import sluice.*;

/** What the Java binding adds to the library: JSON, errors, handles that are closed. */
public class JavaTest {
  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void refused(Runnable work, int code, String words) {
    try {
      work.run();
    } catch (SluiceException error) {
      check(error.code() == code && error.getMessage().contains(words), error.getMessage());
      return;
    }
    throw new AssertionError("nothing was thrown: " + words);
  }

  static void closed(Runnable work) {
    try {
      work.run();
    } catch (IllegalStateException error) {
      check(error.getMessage().endsWith("was closed"), error.getMessage());
      return;
    }
    throw new AssertionError("nothing was thrown");
  }

  static void json() {
    String object = " { \"a\" : [1, {\"b\": \"]}\\\"\"}], \"é\" :\"x\" ,\"b\":-1.5e3,\"c\":{},\"d\":null} ";
    check("[1, {\"b\": \"]}\\\"\"}]".equals(Json.member(object, "a")) && "\"x\"".equals(Json.member(object, "é")), "members");
    check("-1.5e3".equals(Json.member(object, "b")) && "{}".equals(Json.member(object, "c")) && "null".equals(Json.member(object, "d")), "members");
    check(Json.member(object, "e") == null && Json.member("[1]", "a") == null && Json.member("{}", "a") == null && Json.member("", "a") == null, "no members");
    StringBuilder all = new StringBuilder("é😀\u2028");
    for (char c = 0; c < 128; ++c) all.append(c);
    check(Json.text(Json.quote(all.toString())).contentEquals(all), "a string comes back");
    check("😀é/".equals(Json.text("\"\\ud83d\\ude00\\u00e9\\/\"")) && Json.text("1") == null, "escapes");
    for (int end = 0; end < object.length(); ++end) { // what was cut off throws nothing
      Json.member(object.substring(0, end), "d");
      Json.text(object.substring(end));
    }
  }

  public static void main(String[] arguments) {
    json();
    Engine engine = new Engine("{\"tools\":[{\"name\":\"note\",\"agentCallable\":true}]}");
    refused(() -> new Engine("{\"protocol\":\"hermez\"}"), SluiceException.JSON, "did you mean hermes?");
    refused(() -> engine.turn("{\"wire\":\"x\"}"), SluiceException.JSON, "(wire)");
    refused(() -> engine.restore("{}"), SluiceException.JSON, "json: ");
    Turn turn = engine.turn("{\"wire\":\"text\",\"protocol\":\"hermes\"}");
    refused(() -> turn.deny(7, null), SluiceException.NOT_FOUND, "no call");
    refused(() -> turn.finish(9, null), SluiceException.ARGUMENT, "argument: ");
    engine.close();
    engine.close();
    closed(() -> engine.turn("{}"));
    turn.feed(new byte[0]);
    turn.feed("a\0你<tool_call>{\"name\": \"note\", \"arguments\": {}}</tool_call>".getBytes(StandardCharsets.UTF_8));
    turn.finish(Turn.COMPLETE, "half \ud83d of a pair");
    check(turn.pieces().iterator().next().equals(new Delta(Delta.TEXT, 0, "a\0你")), "the first piece");
    Event card = turn.nextEvent();
    check(card.type().equals("card") && card.call() == 1 && card.text("name").equals("note"), card.json());
    for (int i = 0; i < 3; ++i) { // nobody closes it
      try (Engine other = new Engine("{}")) {
        other.turn("{\"wire\":\"text\"}");
      }
      System.gc();
    }
    turn.close();
    closed(turn::nextEvent);
    check(Engine.version() > 0, "a version");
  }
}
