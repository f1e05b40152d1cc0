package sluice;

/** Documents that can be read at any time: {@link Turn#get}. */
public enum Document {
  /** The body of the request to send; null while there is none to send. */
  REQUEST,
  /** The assistant message so far, block by block. */
  MESSAGE,
  /** The messages that this turn adds to the conversation. */
  HISTORY,
  /** What this configuration exposes to the model, why the rest is hidden, and every setting. */
  TOOLS,
  /** The rendered {{tools}}: a JSON string. */
  PROMPT,
  /** The state that {@link Engine#restore} reads. */
  STATE,
  /** The last error of this turn; null if there was none. */
  ERROR
}
