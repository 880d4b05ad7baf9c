import type { ReactNode } from 'react';
import { compare, decimalsOf, isDecimal, roundTo, sign } from '../../../lib/decimal.ts';
import { money } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { Button, NumberField } from '../../../ui/controls.tsx';
import { ErrorSentence, type Doing } from '../../../ui/states.tsx';

type AmountLimits = { readonly most: string | undefined; readonly least?: string | undefined };

const USDC_DECIMALS = 6;

type Checked = Readonly<{ isFit: boolean; fault: string | undefined; instead: string | undefined }>;

export function checkAmount(
  amount: string,
  { least = '0', most }: AmountLimits,
  t: Words,
): Checked {
  const no = (fault?: string, instead?: string): Checked => ({ isFit: false, fault, instead });
  if (amount === '' || !isDecimal(amount)) return no();
  const isEnough = most === undefined || compare(most, least) >= 0;
  if (decimalsOf(amount) > USDC_DECIMALS) {
    return no(t('account.tooFine'), roundTo(amount, USDC_DECIMALS, 'down'));
  }
  if (sign(amount) <= 0) return no();
  if (compare(amount, least) < 0) {
    return no(t('account.tooLittle', { least: money(least) }), isEnough ? least : undefined);
  }
  if (most !== undefined && compare(amount, most) > 0) {
    const rest = isEnough && sign(most) > 0 ? most : undefined;
    return no(t('account.tooMuch', { most: money(most) }), rest);
  }
  return { isFit: true, fault: undefined, instead: undefined };
}

export function lackOf(
  form: 'withdraw' | 'transfer',
  { amount, hasAddress }: { readonly amount: string; readonly hasAddress: boolean },
  t: Words,
): string {
  if (!hasAddress) return t('account.enterAddress');
  return t(amount === '' ? 'account.enterAmount' : `account.form.${form}`);
}

type AmountFieldProps = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onEnter: () => void;
  readonly limits: AmountLimits;
  readonly source: string;
};

export function AmountField({ value, onChange, onEnter, limits, source }: AmountFieldProps) {
  const t = useWords();
  const { fault, instead } = checkAmount(value, limits, t);
  const { most } = limits;
  return (
    <div className="flex flex-col gap-1">
      <NumberField
        label={t('account.amount')}
        unit="USDC"
        value={value}
        placeholder="0"
        fault={fault}
        onChange={onChange}
        onEnter={onEnter}
      />
      {instead !== undefined && (
        <p>
          <Button size="small" onClick={() => onChange(instead)}>
            {t('account.useInstead', { amount: money(instead) })}
          </Button>
        </p>
      )}
      <p className="flex items-center justify-between text-12 text-muted">
        <span>{source}</span>
        <button
          type="button"
          disabled={most === undefined}
          onClick={() => most !== undefined && onChange(most)}
          className="text-accent tabular-nums hover:underline disabled:text-muted disabled:no-underline"
        >
          {t('account.all', { amount: money(most) })}
        </button>
      </p>
    </div>
  );
}

type SendButtonProps = {
  readonly doing: Doing;
  readonly isReady: boolean;
  readonly label: string;
  readonly onSend: () => void;
};

export function SendButton({ doing: { error, isBusy }, isReady, label, onSend }: SendButtonProps) {
  return (
    <>
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={!isReady}
        onClick={onSend}
      >
        {label}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </>
  );
}

export function Terms({
  rows,
}: {
  readonly rows: readonly { readonly label: string; readonly value: ReactNode }[];
}) {
  return (
    <dl className="flex flex-col gap-1 text-12">
      {rows.map(({ label, value }) => (
        <div key={label} className="flex items-baseline justify-between gap-4">
          <dt className="text-muted">{label}</dt>
          <dd className="text-end tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
