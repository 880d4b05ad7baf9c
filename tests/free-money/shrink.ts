import type { Property } from './finding.ts';
import type { History, Step } from './history.ts';
import { play } from './play.ts';

/**
 * Removes steps, and then actions, routines and time from the steps that are left, as long as the
 * history still violates the same property.
 */

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
  for (const at of steps.keys()) {
    for (let isShorter = true; isShorter;) {
      const shorter = variantsOf(steps[at]).map((step) => steps.with(at, step));
      const found = shorter.find((each) => breaks(each));
      isShorter = found !== undefined;
      steps = found ?? steps;
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

function variantsOf(step: Step | undefined): Step[] {
  if (step?.kind === 'prices') {
    return step.acts.map((act) => ({ ...step, acts: step.acts.filter((each) => each !== act) }));
  }
  if (step?.kind !== 'stretch') return [];
  const { acts, routines, seconds, walk } = step;
  const variants: Step[] = [
    ...acts.map((act) => ({ ...step, acts: acts.filter((each) => each !== act) })),
    ...routines.map((one) => ({ ...step, routines: routines.filter((each) => each !== one) })),
  ];
  if (walk.gapEvery > 0) variants.push({ ...step, walk: { ...walk, gapEvery: 0 } });
  if (walk.step > 0) variants.push({ ...step, walk: { ...walk, step: 0 } });
  if (seconds > 5) variants.push({ ...step, seconds: Math.ceil(seconds / 10) * 5 });
  return variants;
}
