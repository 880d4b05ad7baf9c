import { useState } from 'react';
import { short } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { canKeepKeys } from '../../../session/key-safe.ts';
import type { Session } from '../../../session/session.ts';
import { eraseKeys, exportBurner } from '../../../session/stored-session.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Code } from '../../../ui/code.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { useDoing } from '../../../ui/use-doing.ts';

/** The keys that this browser keeps: to take the burner's elsewhere, and to erase them. */
export function BrowserKeys({ session }: { readonly session: Session }) {
  const t = useWords();
  const [asked, setAsked] = useState<'show' | 'erase'>();
  const close = (): void => setAsked(undefined);
  const { agentAddress, kind } = session;
  const isBurner = kind === 'burner';
  const hasNone = !isBurner && agentAddress === undefined;
  return (
    <div className="flex flex-col gap-3 px-4 pb-4">
      {hasNone ? (
        <p className="text-12 text-muted">{t('account.hasNoKeys')}</p>
      ) : (
        <ul className="flex flex-col text-13">
          {isBurner && <KeptKey name={t('account.hasBurner')} address={session.address} />}
          {agentAddress !== undefined && (
            <KeptKey name={t('account.hasAgent')} address={agentAddress} />
          )}
        </ul>
      )}
      {!canKeepKeys() && <p className="text-12 text-warning">{t('first.notKept')}</p>}
      {!hasNone && (
        <p className="flex flex-wrap gap-2">
          {isBurner && <Button onClick={() => setAsked('show')}>{t('account.export')}</Button>}
          <Button kind="danger" onClick={() => setAsked('erase')}>
            {t('account.erase')}
          </Button>
        </p>
      )}
      <Dialog
        title={t('account.export')}
        description={t('account.exportText')}
        isOpen={asked === 'show'}
        onClose={close}
      >
        <BurnerKey />
      </Dialog>
      <Dialog
        title={t('account.erase')}
        description={t(isBurner ? 'account.eraseBurnerText' : 'account.eraseAgentText')}
        isOpen={asked === 'erase'}
        onClose={close}
      >
        <Erase session={session} />
      </Dialog>
    </div>
  );
}

/** What a key is for, and whose address it signs for; never the key. */
function KeptKey({ name, address }: { readonly name: string; readonly address: string }) {
  return (
    <li className="flex h-9 items-center justify-between gap-4 border-b border-line/50">
      <span className="truncate">{name}</span>
      <span className="font-mono text-12 text-muted" title={address}>
        {short(address)}
      </span>
    </li>
  );
}

/** Read out of the safe when it is asked for, and gone with the dialog. */
function BurnerKey() {
  const t = useWords();
  const [key, setKey] = useState<string>();
  const { error, isBusy, run } = useDoing();
  const show = (): Promise<boolean> => run(async () => setKey(await exportBurner()));
  return key === undefined ? (
    <div className="flex flex-col gap-2">
      <Button kind="accent" isWide isBusy={isBusy} onClick={() => void show()}>
        {t('account.showKey')}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  ) : (
    <div className="flex flex-col items-start gap-3">
      <p className="w-full rounded border border-line bg-canvas/60 p-3">
        <Code>{key}</Code>
      </p>
      <CopyButton text={key} />
    </div>
  );
}

function Erase({ session }: { readonly session: Session }) {
  const t = useWords();
  const [isSure, setIsSure] = useState(false);
  const { error, isBusy, run } = useDoing();
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label={t(session.kind === 'burner' ? 'account.eraseSure' : 'account.eraseAgentSure')}
        isOn={isSure}
        onChange={setIsSure}
      />
      <Button
        kind="danger"
        isWide
        isBusy={isBusy}
        disabled={!isSure}
        onClick={() => void run(() => eraseKeys(session))}
      >
        {t('account.eraseButton')}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}
