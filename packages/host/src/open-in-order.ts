/**
 * Opens several things one after the other, or none of them: each one says how it is closed as soon as it is open, and when a
 * later one fails, those before it are closed, the last one first. What is thrown then is why it failed; what could not be
 * closed besides is told to the caller. When all are open, whoever has the stack closes them.
 */
export async function openInOrder<Result>(
  open: (opened: AsyncDisposableStack) => Promise<Result>,
  onCloseFailed: (error: unknown) => void,
): Promise<Result> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(opened);
  } catch (error) {
    await opened.disposeAsync().catch(onCloseFailed);
    throw error;
  }
}
