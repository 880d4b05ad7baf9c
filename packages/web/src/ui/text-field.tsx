import { type ComponentProps, useId } from 'react';
import { classes } from './classes.ts';

type TextFieldProps = Omit<ComponentProps<'input'>, 'className' | 'onChange'> & {
  readonly label: string;
  /** The label is said but not shown: a search field has its placeholder. */
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
        className={isLabelHidden === true ? 'heard' : 'mb-1 block text-12 text-muted'}
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

/** Empties a field whose text was sent; what was typed since is the next one, and stays. */
export function emptied(sent: string): (now: string) => string {
  return (now) => (now === sent ? '' : now);
}
