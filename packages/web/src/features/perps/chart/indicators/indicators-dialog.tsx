import { useState } from 'react';
import { isDecimal } from '../../../../lib/decimal.ts';
import { isLike } from '../../../../lib/typed-text.ts';
import { useWords } from '../../../../lib/words.ts';
import { Button, NumberField, TextField } from '../../../../ui/controls.tsx';
import { Dialog, Menu } from '../../../../ui/overlays.tsx';
import { Colours } from '../colours.tsx';
import {
  isValue,
  KINDS,
  newIndicator,
  optionsOf,
  settingsText,
  SOURCES,
  withIndicator,
  type Indicator,
  type Kind,
} from './indicator-kinds.ts';

type IndicatorsDialogProps = {
  readonly indicators: readonly Indicator[];
  readonly onChange: (indicators: readonly Indicator[]) => void;
  readonly onClose: () => void;
};

const ALL = Object.keys(KINDS) as readonly Kind[];

export function IndicatorsDialog({ indicators, onChange, onClose }: IndicatorsDialogProps) {
  const t = useWords();
  const [wanted, setWanted] = useState('');
  const nameOf = (kind: Kind): string => t(`perps.chart.indicator.${kind}`);
  const shown = ALL.filter((kind) => isLike(`${nameOf(kind)} ${kind}`, wanted));
  const remove = (id: string): void => onChange(indicators.filter((each) => each.id !== id));
  return (
    <Dialog title={t('perps.chart.indicators')} isOpen isWide onClose={onClose}>
      <div className="flex flex-col gap-3">
        {indicators.length > 0 && (
          <ul aria-label={t('perps.chart.indicatorsOn')} className="flex flex-col">
            {indicators.map((indicator) => (
              <Row
                key={indicator.id}
                indicator={indicator}
                name={nameOf(indicator.kind)}
                onChange={(changed) => onChange(withIndicator(indicators, changed))}
                onRemove={() => remove(indicator.id)}
              />
            ))}
          </ul>
        )}
        <TextField
          label={t('perps.chart.indicatorSearch')}
          isLabelHidden
          placeholder={t('perps.chart.indicatorSearch')}
          value={wanted}
          onChange={setWanted}
        />
        <ul className="grid grid-cols-2 gap-1 max-tablet:grid-cols-1">
          {shown.map((kind) => (
            <li key={kind}>
              <button
                type="button"
                onClick={() => {
                  const added = newIndicator(kind, crypto.randomUUID(), indicators);
                  onChange(withIndicator(indicators, added));
                }}
                className="flex h-8 w-full items-center gap-2 rounded px-2 text-start text-13 hover:bg-raised"
              >
                <span aria-hidden="true" className="text-muted">
                  +
                </span>
                <span className="truncate">{nameOf(kind)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

type RowProps = {
  readonly indicator: Indicator;
  readonly name: string;
  readonly onChange: (indicator: Indicator) => void;
  readonly onRemove: () => void;
};

function Row({ indicator, name, onChange, onRemove }: RowProps) {
  const t = useWords();
  const { fields, hasSource } = optionsOf(indicator.kind);
  const label = `${name} ${settingsText(indicator)}`.trim();
  return (
    <li
      aria-label={label}
      className="flex flex-wrap items-center gap-2 border-b border-line py-2 first:border-t"
    >
      <span className="w-36 text-13 max-tablet:w-full">{name}</span>
      {fields.map(([field], at) => (
        <span key={field} className="w-24">
          <Field
            label={t(`perps.chart.field.${field}`)}
            value={indicator.values[at]!}
            isValid={(value) => isValue(field, value)}
            onChange={(value) =>
              onChange({ ...indicator, values: indicator.values.with(at, value) })
            }
          />
        </span>
      ))}
      {hasSource === true && (
        <Menu
          align="start"
          trigger={
            <button type="button" className="h-8 rounded border border-line px-2 text-12">
              <span className="visually-hidden">{t('perps.chart.source')} </span>
              {t(`perps.chart.sources.${indicator.source}`)} ▾
            </button>
          }
          items={SOURCES.map((source) => ({
            label: t(`perps.chart.sources.${source}`),
            isChosen: source === indicator.source,
            onSelect: () => onChange({ ...indicator, source }),
          }))}
        />
      )}
      {indicator.kind !== 'profile' && (
        <Colours
          value={indicator.colour}
          onChange={(colour) => onChange({ ...indicator, colour })}
        />
      )}
      <span className="ms-auto">
        <Button
          size="small"
          kind="quiet"
          aria-label={t('perps.chart.indicatorRemove', { name: label })}
          onClick={onRemove}
        >
          ✕
        </Button>
      </span>
    </li>
  );
}

type FieldProps = {
  readonly label: string;
  readonly value: number;
  readonly isValid: (value: number) => boolean;
  readonly onChange: (value: number) => void;
};

/** The chart keeps the last valid value while the user types another one. */
function Field({ label, value, isValid, onChange }: FieldProps) {
  const t = useWords();
  const [typed, setTyped] = useState(String(value));
  const isWrong = !isDecimal(typed) || !isValid(Number(typed));
  return (
    <NumberField
      label={label}
      value={typed}
      fault={isWrong ? t('perps.chart.fieldFault') : undefined}
      onChange={(next) => {
        setTyped(next);
        if (isDecimal(next) && isValid(Number(next))) onChange(Number(next));
      }}
    />
  );
}
