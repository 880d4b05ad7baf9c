import { useState, type FormEvent } from 'react';
import { useWords } from '../../lib/words.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { ErrorSentence, useDoing } from '../../ui/states.tsx';
import { faultOfKey, openOperatorKey } from './operation.tsx';

export function OpenKey({ onClose }: { readonly onClose: () => void }) {
  const t = useWords();
  const [typed, setTyped] = useState('');
  const { error, isBusy, run } = useDoing();
  const fault = faultOfKey(typed);
  const isFit = fault === undefined;
  const open = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isFit) return;
    if (await run(() => openOperatorKey(typed))) onClose();
  };
  return (
    <Dialog
      title={t('operate.openKey')}
      description={t('operate.openKeyHelp')}
      isOpen
      onClose={onClose}
    >
      <form className="flex flex-col gap-3" onSubmit={(event) => void open(event)}>
        <TextField
          label={t('operate.key')}
          type="password"
          value={typed}
          placeholder="0x…"
          fault={
            typed === '' || fault === undefined
              ? undefined
              : t(fault === 'form' ? 'operate.keyFault' : 'operate.notKey')
          }
          onChange={setTyped}
        />
        {error !== undefined && <ErrorSentence error={error} />}
        <Button type="submit" kind="accent" size="large" isWide isBusy={isBusy} disabled={!isFit}>
          {t('operate.openKeyDo')}
        </Button>
      </form>
    </Dialog>
  );
}
