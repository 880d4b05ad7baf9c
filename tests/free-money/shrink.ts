import type { Property } from './finding.ts';
import type { History, Step } from './history.ts';
import { play } from './play.ts';

/** Takes steps away, and acts out of entries, for as long as the same property stays broken. */

const TRIES_MAX = 600;

export function shrink(history: History, property: Property): History {
  let tries = 0;
  const breaks = (steps: readonly Step[]): boolean => {
    tries += 1;
    if (tries > TRIES_MAX) return false;
    return play({ ...history, steps }).finding?.property === property;
  };
  let steps = history.steps;
  for (let size = Math.ceil(steps.length / 2); size >= 1;) {
    const shorter = withoutChunk(steps, size, breaks);
    if (shorter !== undefined) steps = shorter;
    else size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'prices') continue;
    for (const act of step.acts) {
      const now = steps[at];
      if (now?.kind !== 'prices') continue;
      const fewer = steps.with(at, { ...now, acts: now.acts.filter((each) => each !== act) });
      if (breaks(fewer)) steps = fewer;
    }
  }
  return { ...history, steps };
}

function withoutChunk(
  steps: readonly Step[],
  size: number,
  breaks: (steps: readonly Step[]) => boolean,
): readonly Step[] | undefined {
  for (let from = 0; from < steps.length; from += size) {
    const shorter = [...steps.slice(0, from), ...steps.slice(from + size)];
    if (shorter.length < steps.length && breaks(shorter)) return shorter;
  }
  return undefined;
}
