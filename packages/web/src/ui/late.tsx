import { lazy, Suspense, type ComponentType } from 'react';

/** By then what was asked for is on the screen. */
const QUIET_MS = 2_000;

/**
 * A component whose code is not needed to draw a screen: it comes when it is first shown, or before that in a
 * quiet moment, so that nobody waits for it and it is there when the venue is not. It takes no room meanwhile.
 */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  inQuiet(() => void load().catch(() => undefined));
  return function Late(props: Props) {
    return (
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

/** Some browsers do not tell when they are idle. */
function inQuiet(act: () => void): void {
  setTimeout(() => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(act);
    else act();
  }, QUIET_MS);
}
