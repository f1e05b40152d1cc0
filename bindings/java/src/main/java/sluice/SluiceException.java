package sluice;

/** A mistake of the host. What a model, a provider, the network or a tool does wrong is an event, never an exception. */
public final class SluiceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A value that the function does not accept. */
  public static final int ARGUMENT = -1;
  /** Not possible in this state; nothing changed. */
  public static final int STATE = -2;
  /** No such call. */
  public static final int NOT_FOUND = -3;
  /** A document that is unreadable or invalid. */
  public static final int JSON = -4;
  /** Larger than a limit of the configuration. */
  public static final int LIMIT = -5;
  /** This version lacks it; the message names it. */
  public static final int UNSUPPORTED = -6;
  /** Memory is short. */
  public static final int MEMORY = -100;
  /** A bug of Sluice. */
  public static final int INTERNAL = -101;

  private final int code;
  private final String name;
  private final String detail;
  private final String path;

  private SluiceException(int code, String name, String detail, String path) {
    super(name + ": " + detail + (path.isEmpty() ? "" : " (" + path + ")"));
    this.code = code;
    this.name = name;
    this.detail = detail;
    this.path = path;
  }

  /** Reads {code, name, message, path}; null: memory was too short even for that. */
  static SluiceException read(String document) {
    if (document == null) return new SluiceException(MEMORY, "memory", "memory is short", "");
    return new SluiceException(Integer.parseInt(Json.member(document, "code")), Json.text(document, "name"), Json.text(document, "message"), Json.text(document, "path"));
  }

  /** One of the constants of this class. */
  public int code() {
    return code;
  }

  /** The code's name: {@code state}. */
  public String name() {
    return name;
  }

  /** What was found, and what was expected. */
  public String detail() {
    return detail;
  }

  /** The place in a document: {@code tools[3].parameters}. Empty: none. */
  public String path() {
    return path;
  }
}
