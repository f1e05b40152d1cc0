package sluice;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Native memory that is freed once: by {@link #close}, or by the garbage collector. */
abstract class Handle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final AtomicReference<Pointer> pointer;
  private final Cleaner.Cleanable cleanable;

  Handle(Pointer made, Consumer<Pointer> free) {
    if (made == null) throw SluiceException.read(null);
    AtomicReference<Pointer> held = new AtomicReference<>(made);
    pointer = held;
    cleanable = CLEANER.register(this, () -> {
      Pointer last = held.getAndSet(null);
      if (last != null) free.accept(last);
    });
  }

  /** The native handle. Throws IllegalStateException if it is closed. */
  final Pointer open() {
    Pointer now = pointer.get();
    if (now == null) throw new IllegalStateException("this " + getClass().getSimpleName() + " was closed");
    return now;
  }

  /** Frees the native memory. May be called twice. */
  @Override
  public final void close() {
    cleanable.clean();
  }
}
