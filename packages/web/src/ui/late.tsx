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
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return function Late(props: Props) {
    return (
      <Suspense fallback={null}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
