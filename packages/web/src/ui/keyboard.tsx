import {
  type KeyboardEvent as RowKeyEvent,
  type MouseEvent,
  useEffect,
  useEffectEvent,
} from 'react';

const TYPING = 'input, textarea, select, [contenteditable], [role=dialog]';

export function useHotkey(key: string, act: () => void): void {
  const onPress = useEffectEvent((event: KeyboardEvent): void => {
    if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(TYPING) !== null) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    document.addEventListener('keydown', onPress);
    return () => document.removeEventListener('keydown', onPress);
  }, []);
}

type SkipLinkProps = {
  readonly to: string;
  readonly onFollow?: (() => void) | undefined;
  readonly children: string;
};

export function SkipLink({ to, onFollow, children }: SkipLinkProps) {
  const follow = (event: MouseEvent): void => {
    if (onFollow === undefined) return;
    event.preventDefault();
    onFollow();
  };
  return (
    <a
      href={`#${to}`}
      onClick={follow}
      className="visually-hidden focus:fixed focus:top-2 focus:start-2 focus:z-50 focus:h-auto focus:w-auto focus:rounded focus:bg-raised focus:p-2 focus:[clip-path:none]"
    >
      {children}
    </a>
  );
}

/**
 * Returns true if a row handles this key. Keys with modifiers, keys in text fields, and keys that
 * bubble up from dialogs of the row are ignored.
 */
export function pressesKey(event: RowKeyEvent<HTMLElement>, key: string): boolean {
  const { altKey, ctrlKey, currentTarget, metaKey, target } = event;
  if (event.key !== key || altKey || ctrlKey || metaKey) return false;
  return (
    target instanceof Element && currentTarget.contains(target) && target.closest('input') === null
  );
}
