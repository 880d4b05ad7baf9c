import { lazy, Suspense, type ComponentType } from 'react';
import { loadAhead } from './load-ahead.ts';

/**
 * A component whose code is not needed to draw a screen: it comes when it is first shown, or before that in a
 * quiet moment, so that nobody waits for it and it is there when the venue is not. It takes no room meanwhile.
 */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  loadAhead(load);
  return onDemand(load);
}

/** The same for what only some people ever see, such as the rows of an account: it comes when it is first shown. */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({
    default: await untilLoaded(load),
  })) as unknown as ComponentType<Props>;
  return function Late(props: Props) {
    return (
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

const AGAIN_MS = 2_000;

/** A venue that is away for a moment must not take the screen along that waits for a part of it. */
async function untilLoaded<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
