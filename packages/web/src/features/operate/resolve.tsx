import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { useState } from 'react';
import { compare, isDecimal, subtract } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { FormDialog } from './form-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const EVIDENCE_MAX = 2_000;
type Result = 'yes' | 'no' | 'void' | 'part';
/** A market that has no result pays both sides half. */
const HALF = '0.5';

const FRACTIONS = { yes: '1', no: '0', void: HALF } as const;

/** Says how a closed market ended. There is no way back, so the button says what it pays. */
export function Resolve({
  deployer,
  market,
  onClose,
}: {
  readonly deployer: Client;
  readonly market: OutcomeMarketMeta;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const [result, setResult] = useState<Result>();
  const [part, setPart] = useState(HALF);
  const [evidence, setEvidence] = useState('');
  const operation = useOperation();
  const fraction = result === 'part' ? part : result === undefined ? HALF : FRACTIONS[result];
  const said = evidence.trim();
  const missing = missingOf(result, fraction, said);
  const [yes, no] = market.outcomes;
  const resolve = async (): Promise<void> => {
    const { instrument_id: instrumentId } = market;
    const isDone = await operation.operate(
      () =>
        deployer.exchange.outcomeDeploy.resolve(
          { instrumentId, settlementFraction: fraction, evidence: said },
          CONFIRMED,
        ),
      t('operate.resolved', { question: market.question }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.resolveTitle')}
      description={market.question}
      label={
        missing === undefined
          ? t('operate.resolveAt', {
              name: yes,
              pays: number(fraction),
              other: no,
              rest: number(subtract('1', fraction)),
            })
          : t(missing)
      }
      isReady={missing === undefined}
      operation={operation}
      onSend={() => void resolve()}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Results market={market} value={result} onChange={setResult} />
        {result === 'part' && <Fraction name={yes} value={part} onChange={setPart} />}
        <TextArea
          label={t('operate.evidence')}
          value={evidence}
          maxLength={EVIDENCE_MAX}
          onChange={setEvidence}
        />
        <p className="text-12 text-muted">{t('operate.resolveHelp')}</p>
      </div>
    </FormDialog>
  );
}

function Results({
  market,
  value,
  onChange,
}: {
  readonly market: OutcomeMarketMeta;
  readonly value: Result | undefined;
  readonly onChange: (result: Result) => void;
}) {
  const t = useWords();
  const [yes, no] = market.outcomes;
  return (
    <Segmented<Result | ''>
      label={t('operate.result')}
      value={value ?? ''}
      onChange={(next) => next !== '' && onChange(next)}
      segments={[
        { value: 'yes', label: yes },
        { value: 'no', label: no },
        { value: 'void', label: t('operate.void') },
        { value: 'part', label: t('operate.part') },
      ]}
    />
  );
}

/** What one YES pays when both sides share. */
function Fraction({
  name,
  value,
  onChange,
}: {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const t = useWords();
  return (
    <NumberField
      label={t('operate.fraction', { name })}
      value={value}
      step="0.01"
      fault={isShare(value) ? undefined : t('operate.fractionFault')}
      onChange={onChange}
    />
  );
}

function isShare(text: string): boolean {
  return isDecimal(text) && compare(text, '0') >= 0 && compare(text, '1') <= 0;
}

/** What the button asks for before it resolves. */
function missingOf(
  result: Result | undefined,
  fraction: string,
  evidence: string,
): 'operate.chooseResult' | 'operate.giveFraction' | 'operate.giveEvidence' | undefined {
  if (result === undefined) return 'operate.chooseResult';
  if (!isShare(fraction)) return 'operate.giveFraction';
  return evidence === '' ? 'operate.giveEvidence' : undefined;
}
