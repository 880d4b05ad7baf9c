import { useState } from 'react';

export type Held<Value> = {
  readonly value: Value;
  readonly isHeld: boolean;
  /** For what shows it: while somebody points at it or is in it, it stands still. */
  readonly holders: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
  };
};

/** Something that moves all the time, which stands still while somebody is about to press a part of it. */
export function useHeld<Value>(live: Value): Held<Value> {
  const [kept, setKept] = useState<{ readonly value: Value }>();
  return {
    value: kept === undefined ? live : kept.value,
    isHeld: kept !== undefined,
    holders: {
      onPointerEnter: () => setKept({ value: live }),
      onPointerLeave: () => setKept(undefined),
    },
  };
}
