/** How often the parent is looked at. */
const LOOK_MS = 500;

/**
 * Tells when the process that started this one is gone. `npm start` hands signals on while it lives,
 * but one that is killed can't: the venue would go on with nobody to supervise it. The system gives
 * an orphan another parent, so a change of the parent's id is the news.
 */
export function watchParent(
  onGone: () => void,
  options: { readonly parent?: () => number; readonly everyMs?: number } = {},
): NodeJS.Timeout {
  const parent = options.parent ?? ((): number => process.ppid);
  const first = parent();
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    onGone();
  }, options.everyMs ?? LOOK_MS);
  return timer.unref();
}
