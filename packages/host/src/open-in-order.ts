/** Why a start failed is told after so long even if what it had opened does not close: somebody may have to act on it. */
const CLOSE_MS_MAX = 10_000;

/**
 * Opens several things one after the other, or none of them: each one says how it is closed as soon as it is open, and when a
 * later one fails, those before it are closed, the last one first. What is thrown then is why it failed; what could not be
 * closed besides is told to the caller. When all are open, whoever has the stack closes them.
 */
export async function openInOrder<Result>(
  open: (opened: AsyncDisposableStack) => Promise<Result>,
  onCloseFailed: (error: unknown) => void,
): Promise<Result> {
  const opened = new ClosedOnce();
  try {
    return await open(opened);
  } catch (error) {
    await withinTime(opened.disposeAsync()).catch(onCloseFailed);
    throw error;
  }
}

/** Whoever closes it a second time waits for the first. */
class ClosedOnce extends AsyncDisposableStack {
  #closing: Promise<void> | undefined;

  override disposeAsync(): Promise<void> {
    this.#closing ??= super.disposeAsync();
    return this.#closing;
  }
}

async function withinTime(closing: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`not closed after ${CLOSE_MS_MAX / 1_000} s`)),
    CLOSE_MS_MAX,
  );
  await Promise.race([closing, late.promise]).finally(() => clearTimeout(timer));
}
