/**
 * After this many milliseconds, the error from a failed startup is reported even if opened
 * resources have not closed, because an operator may have to act on it.
 */
const CLOSE_MS_MAX = 10_000;

/**
 * Opens several resources one after another: all or none. Each registers its close function as soon
 * as it is open. If a later one fails, the earlier ones are closed in reverse order. The error
 * thrown is the one from the failed step; failures to close are reported separately. If all
 * resources were opened, the owner of the stack closes them.
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

/** A stack of resources where a second close waits for the first. */
class ClosedOnce extends AsyncDisposableStack {
  #closing: Promise<void> | undefined;

  override disposeAsync(): Promise<void> {
    this.#closing ??= super.disposeAsync();
    return this.#closing;
  }
}

async function withinTime(closing: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`not closed after ${CLOSE_MS_MAX / 1_000} s`)),
    CLOSE_MS_MAX,
  );
  await Promise.race([closing, timeout.promise]).finally(() => clearTimeout(timer));
}
