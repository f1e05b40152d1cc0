import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import sluice.*;

/** A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or SLUICE_BASE_URL. */
public class Example {
  static final String TOOLS = """
      {"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
        "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}""";
  static final String CONFIG = """
      {"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}""";
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** The body of the server's answer, which is still to be read. */
  static InputStream send(String baseUrl, Turn turn) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(baseUrl + "/chat/completions")).header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(turn.get(Document.REQUEST))).build();
    HttpResponse<InputStream> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream());
    turn.response(answer.statusCode(), null);
    return answer.body();
  }

  public static void main(String[] arguments) throws Exception {
    String named = System.getenv().getOrDefault("SLUICE_BASE_URL", "http://127.0.0.1:11434/v1");
    String baseUrl = arguments.length > 0 ? arguments[0] : named;
    try (Engine engine = new Engine(TOOLS); Turn turn = engine.turn(CONFIG)) {
      InputStream body = null;
      String outcome = null;
      byte[] piece = new byte[65536];
      while (true) {
        for (Event event : turn.events()) {
          switch (event.type()) {
            case "request" -> body = send(baseUrl, turn);
            case "text" -> System.out.print(event.text("text"));
            case "approval" -> turn.approve(event.call(), Turn.ONCE, null); // show it to a person first
            case "execute" -> turn.submit(event.call(), Turn.RESULT, "noted: " + Json.text(event.get("arguments"), "text"));
            case "error" -> System.err.println(event.text("detail"));
            case "done" -> outcome = event.text("outcome");
            default -> {}
          }
        }
        if (outcome != null) break;
        int read = body.read(piece);
        if (read > 0) turn.feed(Arrays.copyOf(piece, read));
        else turn.finish(Turn.COMPLETE, null);
      }
      System.out.println("\n" + outcome + "\n" + turn.get(Document.HISTORY));
    } catch (IOException error) {
      System.err.println(baseUrl + " does not answer: " + error);
      System.exit(1);
    }
  }
}
