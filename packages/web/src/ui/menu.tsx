import {
  cloneElement,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { late } from './late.tsx';

export type MenuItem =
  | {
      readonly kind?: 'item';
      readonly label: ReactNode;
      readonly onSelect: () => void;
      readonly isDanger?: boolean | undefined;
      readonly isChosen?: boolean | undefined;
      readonly isToggle?: boolean | undefined;
      readonly isDisabled?: boolean | undefined;
    }
  | { readonly kind: 'line' }
  | { readonly kind: 'title'; readonly label: ReactNode };

const MenuPanel = late(async () => (await import('./menu-panel.tsx')).MenuPanel);

type MenuProps = {
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
};

export function Menu({ trigger, items, align = 'end' }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const holder = useRef<HTMLSpanElement>(null);
  const id = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    setIsOpen(true);
  };
  return (
    <span ref={holder} className="relative inline-flex">
      {cloneElement(trigger, {
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onClick: () => setIsOpen((was) => !was),
        onKeyDown,
      })}
      {isOpen && (
        <MenuPanel
          holder={holder}
          labelledBy={id}
          items={items}
          align={align}
          onClose={() => setIsOpen(false)}
        />
      )}
    </span>
  );
}
