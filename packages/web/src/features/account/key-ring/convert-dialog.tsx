import type { Client } from '@oddlot/sdk';
import { useState } from 'react';
import { isAddress } from '../../../lib/typed-text.ts';
import { useWords } from '../../../lib/words.ts';
import { queryClient } from '../../../market/queries.ts';
import { doneOnce, forgetAgent } from '../../../session/sent-once.ts';
import type { Session } from '../../../session/session.ts';
import { Button, Checkbox, NumberField, TextField } from '../../../ui/controls.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { ErrorSentence, useDoing } from '../../../ui/states.tsx';

const COUNT = /^[1-9]\d*$/;

type ConvertDialogProps = Readonly<{ session: Session; owner: Client; onClose: () => void }>;

export function ConvertDialog({ session: { address }, owner, onClose }: ConvertDialogProps) {
  const t = useWords();
  const [typed, setTyped] = useState<readonly string[]>(['', '']);
  const [needed, setNeeded] = useState('2');
  const [isSure, setIsSure] = useState(false);
  const { error, isBusy, run } = useDoing();
  const signers = signersOf(typed, address);
  const count = signers?.length ?? 0;
  const threshold = COUNT.test(needed) ? Number(needed) : 0;
  const isFit = threshold >= 1 && threshold <= count;
  const convert = async (): Promise<void> => {
    if (signers === undefined || !isFit || !isSure) return;
    const isDone = await run(async () => {
      const wanted = { signers: { authorizedUsers: [...signers], threshold } };
      await doneOnce(owner, ({ exchange }) =>
        exchange.convertToMultiSigUser(wanted, { confirm: 'executed' }),
      );
      // The conversion revokes all agents, including this browser's.
      await forgetAgent(address);
    });
    for (const name of ['multiSigSigners', 'approvedAgents']) {
      await queryClient.invalidateQueries({ queryKey: [name, address] });
    }
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={t('account.convert')}
      description={t('account.convertText')}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Signers typed={typed} own={address} onChange={setTyped} />
        <NumberField
          label={t('account.needed')}
          value={needed}
          min="1"
          step="1"
          unit={t('account.neededOf', { count })}
          fault={count === 0 || isFit ? undefined : t('account.neededFault', { count })}
          onChange={setNeeded}
        />
        <p className="border-s-2 border-warning ps-3 text-12">{t('account.convertWarning')}</p>
        <Checkbox label={t('account.convertSure')} isOn={isSure} onChange={setIsSure} />
        {error !== undefined && <ErrorSentence error={error} />}
        <Button
          kind="danger"
          size="large"
          isWide
          isBusy={isBusy}
          disabled={!isFit || !isSure}
          onClick={() => void convert()}
        >
          {isFit ? t('account.convertDo', { threshold, count }) : t('account.convert')}
        </Button>
      </div>
    </Dialog>
  );
}

type SignersProps = {
  readonly typed: readonly string[];
  readonly own: string;
  readonly onChange: (typed: readonly string[]) => void;
};

function Signers({ typed, own, onChange }: SignersProps) {
  const t = useWords();
  return (
    <>
      {typed.map((signer, at) => {
        const fault = signerFault(typed, at, own);
        return (
          <TextField
            // Fields are identified by their position.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            label={t('account.signer', { number: at + 1 })}
            value={signer}
            placeholder="0x…"
            isCode
            fault={fault === undefined ? undefined : t(`account.signerFault.${fault}`)}
            onChange={(text) => onChange(typed.map((each, i) => (i === at ? text : each)))}
          />
        );
      })}
      {typed.length < SIGNERS_MAX && (
        <span>
          <Button size="small" onClick={() => onChange([...typed, ''])}>
            {t('account.addSigner')}
          </Button>
        </span>
      )}
    </>
  );
}

export const SIGNERS_MAX = 10;

type SignerFault = 'noAddress' | 'own' | 'twice';

export function signerFault(
  typed: readonly string[],
  at: number,
  own: string,
): SignerFault | undefined {
  const signers = typed.map(plain);
  const signer = signers[at] ?? '';
  if (signer === '') return undefined;
  if (!isAddress(signer)) return 'noAddress';
  if (signer === own) return 'own';
  return signers.indexOf(signer) < at ? 'twice' : undefined;
}

export function signersOf(typed: readonly string[], own: string): readonly string[] | undefined {
  if (typed.some((_, at) => signerFault(typed, at, own) !== undefined)) return undefined;
  const signers = typed.map(plain).filter((signer) => signer !== '');
  return signers.length === 0 ? undefined : signers;
}

function plain(typed: string): string {
  return typed.trim().toLowerCase();
}
