import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import sluice.*;

/** A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol. */
public class Example {
  static final String TOOLS = """
      {"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
        "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}""";
  static final String CONFIG = """
      {"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}""";
  static final ArrayDeque<String> ANSWERS = new ArrayDeque<>(List.of("""
      data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note.add","arguments":"{\\"text\\":\\"umbrella\\"}"}}]},"finish_reason":"tool_calls"}]}""", """
      data: {"choices":[{"delta":{"content":"you will not forget it."},"finish_reason":"stop"}]}"""));

  public static void main(String[] arguments) {
    try (Engine engine = new Engine(TOOLS); Turn turn = engine.turn(CONFIG)) {
      for (Event event : turn.events()) {
        switch (event.type()) {
          case "request" -> { // send turn.get(Document.REQUEST), and feed what comes
            turn.feed((ANSWERS.remove() + "\n\ndata: [DONE]\n\n").getBytes(StandardCharsets.UTF_8));
            turn.finish(Turn.COMPLETE, null);
          }
          case "text" -> System.out.print(event.text("text"));
          case "approval" -> turn.approve(event.call(), Turn.ONCE, null); // show it to a person first
          case "execute" -> turn.submit(event.call(), Turn.RESULT, "noted: " + Json.text(event.get("arguments"), "text"));
          case "done" -> System.out.println("\n" + event.text("outcome"));
          default -> {}
        }
      }
      System.out.println(turn.get(Document.HISTORY));
    }
  }
}
