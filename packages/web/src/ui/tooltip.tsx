import {
  cloneElement,
  useEffect,
  useId,
  useRef,
  useState,
  type HTMLAttributes,
  type PointerEvent,
  type ReactElement,
} from 'react';
import { late } from './late.tsx';

const DELAY_MS = 250;

const TooltipPanel = late(async () => (await import('./tooltip-panel.tsx')).TooltipPanel);

type TooltipProps = {
  readonly text: string;
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>;
};

export function Tooltip({ text, children }: TooltipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = (): void => {
    clearTimeout(timer.current);
    setIsOpen(false);
  };
  const onPointerEnter = ({ pointerType }: PointerEvent): void => {
    // A finger that scrolls points at nothing.
    if (pointerType === 'touch') return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsOpen(true), DELAY_MS);
  };
  return (
    <span
      className="relative inline-flex"
      onPointerEnter={onPointerEnter}
      onPointerLeave={close}
      onFocus={() => setIsOpen(true)}
      onBlur={close}
    >
      {cloneElement(children, { 'aria-describedby': isOpen ? id : undefined })}
      {isOpen && <TooltipPanel id={id} text={text} onClose={close} />}
    </span>
  );
}
