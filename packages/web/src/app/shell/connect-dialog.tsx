import { useState } from 'react';
import { useStore } from 'zustand';
import { money } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { useSettings } from '../../market/queries.ts';
import {
  browserWallets,
  connectWallet,
  spectate,
  type BrowserWallet,
} from '../../session/browser-wallets.ts';
import { FirstSteps, openTestAccount } from '../../session/first-steps.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { ErrorSentence } from '../../ui/states.tsx';

type ConnectDialogProps = { readonly isOpen: boolean; readonly onClose: () => void };

export function ConnectDialog({ isOpen, onClose }: ConnectDialogProps) {
  const t = useWords();
  const { data: settings } = useSettings();
  const { wallets } = useStore(browserWallets);
  const [error, setError] = useState<unknown>();
  const connect = async (wallet: BrowserWallet): Promise<void> => {
    setError(undefined);
    await connectWallet(wallet).then(onClose, setError);
  };
  const start = async (): Promise<void> => {
    await openTestAccount();
  };
  return (
    <Dialog title={t('wallet.title')} isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-5">
        {settings !== undefined && settings.faucet_amount !== null && (
          <section className="flex flex-col gap-2">
            <p className="text-12 text-muted">
              {t('wallet.testText', { amount: money(settings.faucet_amount, { decimals: 0 }) })}
            </p>
            <Button kind="accent" isWide onClick={() => void start()}>
              {t('first.button')}
            </Button>
            <FirstSteps />
          </section>
        )}
        <section className="flex flex-col gap-2">
          <h3 className="text-12 text-muted">{t('wallet.browser')}</h3>
          {wallets.length === 0 && <p className="text-12 text-faint">{t('wallet.none')}</p>}
          {wallets.map((wallet) => (
            <Button key={wallet.uuid} isWide onClick={() => void connect(wallet)}>
              {wallet.icon !== undefined && (
                <img src={wallet.icon} alt="" className="size-4 rounded" />
              )}
              <span className="truncate">{wallet.name}</span>
            </Button>
          ))}
          {error !== undefined && <ErrorSentence error={error} />}
        </section>
        <Watch onDone={onClose} />
      </div>
    </Dialog>
  );
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function Watch({ onDone }: { readonly onDone: () => void }) {
  const t = useWords();
  const [address, setAddress] = useState('');
  const isAddress = ADDRESS.test(address.trim());
  const look = (): void => {
    spectate(address.trim());
    onDone();
  };
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAddress) look();
      }}
    >
      <div className="flex-1">
        <TextField
          label={`${t('wallet.watch')}: ${t('wallet.watchLabel')}`}
          value={address}
          placeholder="0x…"
          onChange={setAddress}
          fault={address === '' || isAddress ? undefined : t('wallet.watchFault')}
        />
      </div>
      <Button type="submit" disabled={!isAddress}>
        {t('wallet.watchButton')}
      </Button>
    </form>
  );
}
