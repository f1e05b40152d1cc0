package sluice;

/** What comes out of a turn: text as it is, anything else as an event. */
public sealed interface Piece permits Delta, Event {}
