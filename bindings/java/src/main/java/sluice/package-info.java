/**
 * One LLM turn as one unbroken message: text comes out at once, tool calls appear in their place, wait until policy or the user allows them, run in your
 * program, and the answer goes on. {@code sluice.h} is the manual; this is it in Java.
 *
 * <p>After every call that changes a {@link sluice.Turn}, drain {@link sluice.Turn#events()} and do what they say. Documents are JSON text.
 */
package sluice;
