package sluice;

/**
 * A piece of text, told without JSON. Text with a mark ({@code refusal}, {@code fabricated}, {@code phase}) is an {@link Event}.
 *
 * @param kind one of the constants of this class
 * @param index the block or the call that it belongs to
 * @param text the text itself
 */
public record Delta(int kind, int index, String text) implements Piece {
  /** As {@code text}; index: the block. */
  public static final int TEXT = 1;
  /** As {@code reasoning}; index: the block. */
  public static final int REASONING = 2;
  /** As {@code args}: the arguments as the model writes them; index: the call. */
  public static final int ARGS = 3;
  /** As {@code progress}: replaces what the call reported before; index: the call. */
  public static final int PROGRESS = 4;
}
