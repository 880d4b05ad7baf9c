import { useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { explainError } from '../../lib/explain-error.ts';
import { short } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { enableTrading } from '../../session/browser-wallets.ts';
import { forgetView, restoreSession } from '../../session/stored-session.ts';
import { type Session, useIsSessionLoaded, useSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { late } from '../../ui/late.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { notify } from '../../ui/toast.tsx';

const ConnectDialog = late(async () => (await import('./connect-dialog.tsx')).ConnectDialog);

/** Who acts, and the way in for who does not yet. */
export function AccountMenu() {
  const t = useWords();
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  if (isOpen && !wasOpen) setWasOpen(true);
  // The place is kept: what is beside it does not move when the answer is there.
  if (!isLoaded) return <span aria-hidden="true" className="h-8 w-22" />;
  return (
    <>
      {session === undefined ? (
        <Button onClick={() => setIsOpen(true)}>{t('header.connect')}</Button>
      ) : (
        <OpenAccount session={session} onSwitch={() => setIsOpen(true)} />
      )}
      {wasOpen && <ConnectDialog isOpen={isOpen} onClose={close} />}
    </>
  );
}

function OpenAccount({
  session,
  onSwitch,
}: {
  readonly session: Session;
  readonly onSwitch: () => void;
}) {
  const t = useWords();
  const navigate = useNavigate();
  const { routesByPath } = useRouter();
  const { address, kind, owner, trader } = session;
  const word = t(
    kind === 'burner'
      ? 'header.testAccount'
      : kind === 'wallet'
        ? 'header.wallet'
        : 'header.spectator',
  );
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(address);
    notify({ title: t('header.copied') });
  };
  const letTrade = async (): Promise<void> => {
    await enableTrading().catch((error: unknown) => {
      notify({ title: explainError(error, t).sentence, tone: 'warning' });
    });
  };
  const links = [
    { to: '/account', label: t('nav.account') },
    { to: '/builder', label: t('nav.builder') },
    { to: '/operate', label: t('nav.operate') },
  ].filter(({ to }) => to in routesByPath);
  const items: MenuItem[] = [
    { label: t('header.copyAddress'), onSelect: () => void copy() },
    ...links.map(({ label, to }) => ({ label, onSelect: () => void navigate({ to }) })),
    ...(owner !== undefined && trader === undefined
      ? [{ label: t('header.enableTrading'), onSelect: () => void letTrade() }]
      : []),
    { kind: 'line' },
    { label: t('wallet.title'), onSelect: onSwitch },
    ...(kind === 'burner'
      ? []
      : [
          {
            label: t('header.leave'),
            onSelect: () => {
              forgetView();
              void restoreSession();
            },
          },
        ]),
  ];
  return (
    <Menu
      trigger={
        <Button>
          <span className="font-mono text-12">{short(address)}</span>
          <span className="text-muted max-desktop:hidden">· {word}</span>
        </Button>
      }
      items={items}
    />
  );
}
