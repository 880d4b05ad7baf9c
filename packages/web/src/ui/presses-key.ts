import type { KeyboardEvent } from 'react';

/**
 * Whether a key is pressed on something within a row, alone and while nobody types. Dialogs that a row has opened hand
 * their keys to it too, though they are elsewhere on the screen: those do not count.
 */
export function pressesKey(event: KeyboardEvent<HTMLElement>, key: string): boolean {
  const { altKey, ctrlKey, currentTarget, metaKey, target } = event;
  if (event.key !== key || altKey || ctrlKey || metaKey) return false;
  return (
    target instanceof Element && currentTarget.contains(target) && target.closest('input') === null
  );
}
