package sluice;

/**
 * An event: {"type":...,"seq":...} and members by its type. Types and members may be added: ignore what you do not know.
 *
 * @param json the whole event, for a JSON library
 */
public record Event(String json) implements Piece {
  /** Its type: {@code text}, {@code card}, {@code approval}. */
  public String type() {
    return text("type");
  }

  /** The call that it is about; 0: none. */
  public int call() {
    String number = get("call");
    return number == null ? 0 : Integer.parseUnsignedInt(number);
  }

  /** The value of a member as JSON text: {@code event.get("arguments")}; null: it has none. {@link Json} goes further down. */
  public String get(String name) {
    return Json.member(json, name);
  }

  /** The value of a member that is a string; empty if it is absent or no string. */
  public String text(String name) {
    return Json.text(json, name);
  }
}
