import { Tabs as RadixTabs, ToggleGroup } from 'radix-ui';
import {
  useEffect,
  useId,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { add, compare, isDecimal, multiply, onStep as toStep, subtract } from '../lib/decimal.ts';
import { number } from '../lib/format.ts';
import { fieldText, typedNumber } from '../lib/typed-text.ts';
import { useWords } from '../lib/words.ts';
import { classes, FOR_THUMBS } from './styles.ts';

type ButtonKind = 'plain' | 'quiet' | 'accent' | 'buy' | 'sell' | 'danger';
type ButtonSize = 'small' | 'medium' | 'large';

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & {
  readonly kind?: ButtonKind;
  readonly size?: ButtonSize;
  readonly isBusy?: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};

const KINDS: Readonly<Record<ButtonKind, string>> = {
  plain: 'border border-line bg-raised text-text hover:border-faint',
  quiet: 'border border-transparent text-muted hover:bg-raised hover:text-text',
  accent: 'border border-accent bg-accent text-on-fill hover:brightness-110',
  buy: 'border border-buy bg-buy text-on-fill hover:brightness-110',
  sell: 'border border-sell bg-sell text-on-fill hover:brightness-110',
  danger: 'border border-sell text-sell hover:bg-sell/10',
};

/**
 * Buttons with a filled background look different when disabled, because their text would be
 * unreadable on a pale fill.
 */
const FILLED: readonly ButtonKind[] = ['accent', 'buy', 'sell'];
const OFF = 'border border-line bg-raised text-muted';

const SIZES: Readonly<Record<ButtonSize, string>> = {
  small: `${FOR_THUMBS} h-6 px-2 text-12`,
  medium: 'h-8 px-3 text-13',
  large: 'h-11 px-4 text-13 font-semibold',
};

export function Button({
  kind = 'plain',
  size = 'medium',
  isBusy = false,
  isWide = false,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      disabled={disabled === true || isBusy}
      className={classes(
        'inline-flex shrink-0 items-center justify-center gap-2 rounded whitespace-nowrap transition-colors',
        disabled === true && FILLED.includes(kind) ? OFF : `${KINDS[kind]} disabled:opacity-50`,
        SIZES[size],
        isWide && 'w-full',
      )}
      {...rest}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  );
}

const ARMED_MS = 5_000;

/**
 * A button for actions that cannot be undone. The second half of a double click does not confirm.
 */
export function ConfirmButton({
  label,
  sure,
  spokenLabels,
  isBusy = false,
  isDisabled = false,
  size = 'medium',
  onConfirm,
}: {
  readonly label: string;
  readonly sure: string;
  readonly spokenLabels?: { readonly label: string; readonly sure: string };
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly size?: ButtonSize;
  readonly onConfirm: () => void;
}) {
  const t = useWords();
  const [isArmed, setIsArmed] = useState(false);
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(() => setIsArmed(false), ARMED_MS);
    return () => clearTimeout(timer);
  }, [isArmed]);
  return (
    <Button
      size={size}
      kind={isArmed ? 'danger' : 'plain'}
      isBusy={isBusy}
      disabled={isDisabled}
      title={isArmed ? t('ui.pressAgain') : undefined}
      aria-label={isArmed ? spokenLabels?.sure : spokenLabels?.label}
      aria-live="polite"
      onBlur={() => setIsArmed(false)}
      onClick={({ detail }) => {
        if (detail > 1) return;
        if (isArmed) onConfirm();
        setIsArmed(!isArmed);
      }}
    >
      {isArmed ? sure : label}
    </Button>
  );
}

export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="turning size-3.5 shrink-0" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeOpacity="0.25"
        strokeWidth="2"
      />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'className' | 'onChange'> & {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly onChange: (value: string) => void;
  readonly fault?: string | undefined;
  readonly isCode?: boolean;
};

export function TextField({
  label,
  isLabelHidden,
  isCode = false,
  onChange,
  fault,
  ...rest
}: TextFieldProps) {
  const id = useId();
  return (
    <div>
      <label
        htmlFor={id}
        className={isLabelHidden === true ? 'visually-hidden' : 'mb-1 block text-12 text-muted'}
      >
        {label}
      </label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        onChange={(event) => onChange(event.target.value)}
        className={classes(
          'h-8 w-full rounded border bg-canvas/60 px-3 outline-none placeholder:text-faint focus:border-accent',
          fault === undefined ? 'border-line' : 'border-sell',
          isCode && 'font-mono text-12 max-tablet:text-11',
        )}
        {...rest}
      />
      {fault !== undefined && (
        <p id={`${id}-fault`} className="mt-1 text-12 text-sell">
          {fault}
        </p>
      )}
    </div>
  );
}

type TextAreaProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly maxLength?: number | undefined;
  readonly rows?: number;
};

export function TextArea({ label, value, onChange, maxLength, rows = 3 }: TextAreaProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-12 text-muted">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        maxLength={maxLength}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded border border-line bg-canvas/60 px-3 py-1.5 outline-none focus:border-accent"
      />
    </div>
  );
}

export function emptied(sent: string): (now: string) => string {
  return (now) => (now === sent ? '' : now);
}

type NumberFieldProps = {
  readonly label: string;
  /** Decimal text as typed, which may be empty or incomplete (`1.`). */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly step?: string | undefined;
  readonly min?: string | undefined;
  readonly unit?: ReactNode;
  readonly placeholder?: string | undefined;
  readonly fault?: string | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly onEnter?: (() => void) | undefined;
};

const EXAMPLE = '97174.6';

/**
 * An input field whose text is parsed according to the user's locale. The text is never rounded or
 * reformatted.
 */
export function NumberField({
  label,
  value,
  onChange,
  step,
  min = '0',
  unit,
  placeholder,
  fault,
  isDisabled = false,
  onEnter,
}: NumberFieldProps) {
  const id = useId();
  const { onBlur, onType, shown, unread } = useTyped(value, onChange);
  const wrong = unread ?? fault;
  const move = (direction: 1 | -1, steps: string): void => {
    const from = isDecimal(value) ? value : min;
    const moved = direction > 0 ? add(from, steps) : subtract(from, steps);
    const next = toStep(moved, steps);
    onChange(compare(next, min) < 0 ? min : next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onEnter?.();
    if (step === undefined || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const direction = event.key === 'ArrowUp' ? 1 : -1;
    move(direction, event.shiftKey ? multiply(step, '10') : step);
  };
  return (
    <div>
      <div
        className={classes(
          'flex h-10 items-center rounded border bg-canvas/60 focus-within:border-accent',
          wrong === undefined ? 'border-line' : 'border-sell',
          isDisabled && 'opacity-50',
        )}
      >
        <label htmlFor={id} className="shrink-0 ps-3 text-12 text-muted">
          {label}
        </label>
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          spellCheck={false}
          value={shown}
          placeholder={placeholder}
          disabled={isDisabled}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong === undefined ? undefined : `${id}-fault`}
          onKeyDown={onKeyDown}
          onBlur={onBlur}
          onChange={(event) => onType(event.target.value)}
          className="h-full min-w-0 flex-1 bg-transparent px-2 text-end text-15 outline-none placeholder:text-faint"
        />
        {unit !== undefined && <span className="shrink-0 pe-3 text-12 text-muted">{unit}</span>}
        {step !== undefined && (
          <Steppers label={label} step={step} isDisabled={isDisabled} onStep={move} />
        )}
      </div>
      {wrong !== undefined && (
        <p id={`${id}-fault`} className="mt-1 text-12 text-sell">
          {wrong}
        </p>
      )}
    </div>
  );
}

/**
 * Returns the typed text. Invalid text stays in the field so that it can be corrected. The value is
 * then empty, so that the previous value is not sent.
 */
function useTyped(
  value: string,
  onChange: (value: string) => void,
): {
  readonly shown: string;
  readonly unread: string | undefined;
  readonly onType: (text: string) => void;
  readonly onBlur: () => void;
} {
  const t = useWords();
  const [typed, setTyped] = useState('');
  const [unread, setUnread] = useState<string>();
  const isUnread = unread !== undefined && value === '';
  if (unread !== undefined && !isUnread) setUnread(undefined);
  const read = typedNumber(typed) === value ? typed : fieldText(value);
  return {
    shown: isUnread ? unread : read,
    unread: !isUnread
      ? undefined
      : t('ui.noNumber', { text: unread, example: number(EXAMPLE, { decimals: 1 }) }),
    onType(text) {
      const next = typedNumber(text);
      setUnread(next === undefined ? text : undefined);
      setTyped(next === undefined ? '' : text);
      onChange(next ?? '');
    },
    onBlur() {
      setTyped('');
    },
  };
}

type SteppersProps = {
  readonly label: string;
  readonly step: string;
  readonly isDisabled: boolean;
  readonly onStep: (direction: 1 | -1, step: string) => void;
};

/** The buttons are for the mouse only, because the arrow keys have the same effect. */
function Steppers({ label, step, isDisabled, onStep }: SteppersProps) {
  return (
    <span className="flex h-full w-6 shrink-0 flex-col border-s border-line max-tablet:hidden">
      {([1, -1] as const).map((direction) => (
        <button
          key={direction}
          type="button"
          tabIndex={-1}
          disabled={isDisabled}
          aria-label={`${label} ${direction > 0 ? '+' : '−'} ${step}`}
          onClick={() => onStep(direction, step)}
          className="flex flex-1 items-center justify-center text-11 text-muted hover:bg-raised hover:text-text"
        >
          <svg viewBox="0 0 8 4" className="w-2" aria-hidden="true">
            <path
              d={direction > 0 ? 'M0 4 4 0l4 4' : 'M0 0l4 4 4-4'}
              fill="none"
              stroke="currentColor"
            />
          </svg>
        </button>
      ))}
    </span>
  );
}

type CheckboxProps = {
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
};

export function Checkbox({ label, isOn, onChange, isDisabled = false }: CheckboxProps) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <button
        type="button"
        role="checkbox"
        id={id}
        aria-checked={isOn}
        disabled={isDisabled}
        onClick={() => onChange(!isOn)}
        // Enter submits the form, so only the space bar toggles a checkbox.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        className="flex size-4 shrink-0 items-center justify-center rounded border border-faint bg-canvas/60 disabled:opacity-50 aria-checked:border-accent aria-checked:bg-accent"
      >
        {isOn && (
          <svg viewBox="0 0 10 8" className="w-2.5 text-on-fill" aria-hidden="true">
            <path d="M1 4l3 3 5-6" fill="none" stroke="currentColor" strokeWidth="1.8" />
          </svg>
        )}
      </button>
      <label htmlFor={id} className="text-12 text-muted">
        {label}
      </label>
    </span>
  );
}

type Segment<Value extends string> = {
  readonly value: Value;
  readonly label: ReactNode;
  readonly tone?: 'plain' | 'buy' | 'sell' | undefined;
  readonly isDisabled?: boolean | undefined;
};

const CHOSEN = {
  plain: 'data-[state=on]:bg-raised data-[state=on]:text-text',
  buy: 'data-[state=on]:bg-buy/20 data-[state=on]:text-buy-strong',
  sell: 'data-[state=on]:bg-sell/20 data-[state=on]:text-sell-strong',
} as const;

export function Segmented<Value extends string>({
  label,
  segments,
  value,
  onChange,
  size = 'medium',
}: {
  readonly label: string;
  readonly segments: readonly Segment<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly size?: 'small' | 'medium';
}) {
  return (
    <ToggleGroup.Root
      dir={writingDirection()}
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => next !== '' && onChange(next as Value)}
      className={classes(
        'flex rounded',
        size === 'medium' && 'border border-line bg-canvas/60 p-0.5',
      )}
    >
      {segments.map(({ value: own, label: text, tone = 'plain', isDisabled }) => (
        <ToggleGroup.Item
          key={own}
          value={own}
          disabled={isDisabled === true}
          onFocus={() => own !== value && onChange(own)}
          className={classes(
            'flex-1 rounded px-2 whitespace-nowrap text-muted transition-colors hover:text-text disabled:opacity-40 data-[state=on]:font-medium',
            size === 'small' ? `${FOR_THUMBS} h-6 text-12 max-tablet:px-1.5` : 'h-7 text-13',
            CHOSEN[tone],
          )}
        >
          {text}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

type ChipProps = Omit<ComponentProps<'button'>, 'className'> & { readonly isOn?: boolean };

export function Chip({ isOn, children, ...rest }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={classes(
        'inline-flex h-6 max-tablet:h-8 items-center gap-1 rounded border px-2 text-12 whitespace-nowrap transition-colors disabled:opacity-50',
        isOn === true
          ? 'border-accent/60 bg-accent/10 text-text'
          : 'border-line text-muted hover:border-faint hover:text-text',
      )}
      {...rest}
    >
      {children}
    </button>
  );
}

function writingDirection(): 'ltr' | 'rtl' {
  return document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr';
}

type Tab<Value extends string> = {
  readonly value: Value;
  readonly label: ReactNode;
  readonly count?: number | undefined;
  readonly content: ReactNode;
};

export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onChange,
  aside,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly aside?: ReactNode;
}) {
  return (
    <RadixTabs.Root
      dir={writingDirection()}
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      className="flex h-full min-h-0 flex-col"
    >
      <div className="flex h-9 shrink-0 items-center border-b border-line">
        <RadixTabs.List aria-label={label} className="scroll-row flex h-full min-w-0 flex-1">
          {tabs.map((tab) => (
            <RadixTabs.Trigger
              key={tab.value}
              value={tab.value}
              className="flex h-full shrink-0 items-center gap-1 px-3 max-tablet:first:ps-4 text-13 text-muted transition-colors hover:text-text data-[state=active]:text-text data-[state=active]:shadow-[inset_0_-2px_0_var(--accent)]"
            >
              {tab.label}
              {tab.count !== undefined && tab.count > 0 && (
                <span className="text-muted">{tab.count}</span>
              )}
            </RadixTabs.Trigger>
          ))}
        </RadixTabs.List>
        {aside !== undefined && <div className="flex shrink-0 items-center px-3">{aside}</div>}
      </div>
      {tabs.map((tab) => (
        <RadixTabs.Content
          key={tab.value}
          value={tab.value}
          className="min-h-0 flex-1 outline-none"
        >
          {tab.content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
