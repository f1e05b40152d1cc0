package sluice;

/**
 * As much JSON as a host without a JSON library needs: the members of an object, strings read and written. The documents are Sluice's own, or were checked
 * by it: nothing here looks for mistakes in them.
 */
public final class Json {
  private Json() {}

  /** The value of a member of an object, as JSON text; null: there is no such member, or {@code object} is no object. */
  public static String member(String object, String name) {
    int at = skipSpace(object, 0);
    if (at == object.length() || object.charAt(at) != '{') return null;
    at = skipSpace(object, at + 1);
    while (at < object.length() && object.charAt(at) == '"') {
      int keyEnd = valueEnd(object, at);
      int colon = skipSpace(object, keyEnd);
      int value = skipSpace(object, Math.min(colon + 1, object.length()));
      int end = valueEnd(object, value);
      if (keyEnd - at - 2 == name.length() && object.startsWith(name, at + 1)) return object.substring(value, end);
      at = skipSpace(object, end);
      if (at == object.length() || object.charAt(at) != ',') return null;
      at = skipSpace(object, at + 1);
    }
    return null;
  }

  /** The value of a member that is a string; empty if it is absent or no string. */
  public static String text(String object, String name) {
    String value = member(object, name);
    String read = value == null ? null : text(value);
    return read == null ? "" : read;
  }

  /** Reads a string, with its quotes; null: it is another value. */
  public static String text(String value) {
    if (value.length() < 2 || value.charAt(0) != '"' || value.charAt(value.length() - 1) != '"') return null;
    int from = 1;
    int end = value.length() - 1;
    int escape = value.indexOf('\\');
    if (escape < 0) return value.substring(from, end);
    StringBuilder out = new StringBuilder(end);
    for (; escape >= 0 && escape < end - 1; escape = value.indexOf('\\', from)) {
      out.append(value, from, escape);
      char letter = value.charAt(escape + 1);
      from = escape + 2;
      if (letter == 'u' && from + 4 <= end) {
        out.append((char) Integer.parseInt(value, from, from + 4, 16));
        from += 4;
      } else {
        int control = "bfnrt".indexOf(letter);
        out.append(control < 0 ? letter : "\b\f\n\r\t".charAt(control));
      }
    }
    return out.append(value, from, end).toString();
  }

  /** Writes a string, with its quotes. */
  public static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); ++i) {
      char c = text.charAt(i);
      int control = "\"\\\b\f\n\r\t".indexOf(c);
      if (control >= 0) out.append('\\').append("\"\\bfnrt".charAt(control));
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  private static int skipSpace(String text, int at) {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) ++at;
    return at;
  }

  /** Where the value ends that begins at {@code at}. */
  private static int valueEnd(String text, int at) {
    int depth = 0;
    for (; at < text.length(); ++at) {
      char c = text.charAt(at);
      if (c == '"') {
        for (++at; at < text.length() && text.charAt(at) != '"'; ++at) if (text.charAt(at) == '\\') ++at;
        if (depth == 0) return Math.min(at + 1, text.length());
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth <= 1) return at + depth; // behind the value, or in front of what closes the object around it
        --depth;
      } else if (depth == 0 && ",: \n\r\t".indexOf(c) >= 0) {
        return at;
      }
    }
    return text.length();
  }
}
