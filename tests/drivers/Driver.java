import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalLong;
import java.util.StringJoiner;
import sluice.*;

/** The driver of the Java binding; README.md describes the lines. */
public class Driver {
  private final Map<Integer, Engine> engines = new HashMap<>();
  private final Map<Integer, Turn> turns = new HashMap<>();
  private String saved;
  private String asked;

  private String text(String name) {
    String value = Json.member(asked, name);
    return value == null ? null : Json.text(value);
  }

  private int number(String name) {
    return Integer.parseUnsignedInt(Json.member(asked, name));
  }

  /** A number with a sign. */
  private int whole(String name) {
    return Integer.parseInt(Json.member(asked, name));
  }

  private static String told(String text) {
    return ",\"text\":" + (text == null ? "null" : Json.quote(text));
  }

  private static String written(Piece piece) {
    if (piece instanceof Delta delta) return "[" + delta.kind() + "," + Integer.toUnsignedString(delta.index()) + "," + Json.quote(delta.text()) + "]";
    return Json.quote(((Event) piece).json());
  }

  private static String list(String name, Iterable<? extends Piece> pieces) {
    StringJoiner out = new StringJoiner(",", ",\"" + name + "\":[", "]");
    for (Piece piece : pieces) out.add(written(piece));
    return out.toString();
  }

  /** The members of the answer behind its code. */
  private String run() {
    String verb = text("do");
    switch (verb) {
      case "engine" -> engines.put(number("engine"), new Engine(text("document")));
      case "turn" -> turns.put(number("turn"), engines.get(number("engine")).turn(text("document")));
      case "restore" -> turns.put(number("turn"), engines.get(number("engine")).restore(text("document") == null ? saved : text("document")));
      case "close" -> {
        if (Json.member(asked, "turn") != null) turns.remove(number("turn")).close();
        else engines.remove(number("engine")).close();
      }
      default -> {
        return run(verb, turns.get(number("turn")));
      }
    }
    return "";
  }

  private String run(String verb, Turn turn) {
    switch (verb) {
      case "response" -> turn.response(whole("status"), text("headers"));
      case "feed" -> turn.feed(HexFormat.of().parseHex(text("bytes")));
      case "finish" -> turn.finish(whole("how"), text("detail"));
      case "approve" -> turn.approve(number("call"), whole("decision"), text("edited"));
      case "deny" -> turn.deny(number("call"), text("reason"));
      case "refuse" -> turn.refuse(number("call"), text("reason"));
      case "cancel" -> turn.cancel(number("call"), text("reason"));
      case "conclude" -> turn.conclude(whole("how"), text("text"));
      case "submit" -> turn.submit(number("call"), whole("kind"), text("data"));
      case "resolve" -> turn.resolve(number("call"), text("arguments"));
      default -> {
        return read(verb, turn);
      }
    }
    return "";
  }

  private String read(String verb, Turn turn) {
    switch (verb) {
      case "call":
        return ",\"number\":" + turn.call(number("call"), text("document"));
      case "judge":
        return ",\"way\":" + turn.judge(number("call"), text("rules"));
      case "tick":
        OptionalLong next = turn.tick(Long.parseLong(Json.member(asked, "now")));
        return ",\"next\":" + (next.isPresent() ? next.getAsLong() : "null");
      case "next":
        Event event = turn.nextEvent();
        return told(event == null ? null : event.json());
      case "events":
        return list("events", turn.events());
      case "next_delta":
        Delta delta = turn.nextDelta();
        return ",\"delta\":" + (delta == null ? "null" : written(delta));
      case "pieces":
        return list("pieces", turn.pieces());
      case "find_tool":
        return told(turn.findTool(text("name")));
      case "get":
        String text = turn.get(Document.valueOf(text("what").toUpperCase()));
        if (text != null && text("what").equals("state")) saved = text;
        return told(text);
      default:
        throw new IllegalArgumentException("no such verb: " + verb);
    }
  }

  public static void main(String[] arguments) throws IOException {
    Driver driver = new Driver();
    BufferedReader in = new BufferedReader(new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, StandardCharsets.UTF_8);
    while ((driver.asked = in.readLine()) != null) {
      try {
        out.print("{\"code\":0" + driver.run() + "}\n");
      } catch (SluiceException error) {
        out.print("{\"code\":" + error.code() + ",\"name\":" + Json.quote(error.name()) + ",\"message\":" + Json.quote(error.detail()) + ",\"path\":" + Json.quote(error.path()) + "}\n");
      }
    }
    out.flush();
  }
}
