import { useEffect, useState } from 'react';
import { useWords } from '../lib/words.ts';
import { Button } from './button.tsx';
import { Link } from '@tanstack/react-router';
import { short } from '../lib/format.ts';
import { Badge } from './badge.tsx';

export function Code({ children }: { readonly children: string }) {
  return <code className="font-mono text-12 break-all">{children}</code>;
}

const SAID_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const t = useWords();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => setIsCopied(false),
    );
  };
  return (
    <Button size="small" aria-live="polite" onClick={() => void copy()}>
      {isCopied ? t('ui.copied') : (label ?? t('ui.copy'))}
    </Button>
  );
}

/** In a sentence a colour alone would not do for everybody. */
const LOOKS = 'text-accent hover:underline [p_&]:underline [dd_&]:underline';

type AddressLinkProps = { readonly address: string; readonly isWhole?: boolean };

export function AddressLink({ address, isWhole = false }: AddressLinkProps) {
  return (
    <Link
      to={`/explorer/address/${address}`}
      title={address}
      className={`${LOOKS} font-mono text-12 ${isWhole ? 'break-all' : 'whitespace-nowrap'}`}
    >
      {isWhole ? address : short(address)}
    </Link>
  );
}

type WhoProps = { readonly user: string; readonly isSimulated: boolean };

/** An account and the way to it; those of the venue itself say so. */
export function Who({ user, isSimulated }: WhoProps) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <AddressLink address={user} />
      {isSimulated && <SimulatedBadge />}
    </span>
  );
}

export function SimulatedBadge() {
  const t = useWords();
  return (
    <span title={t('ui.botText')}>
      <Badge>{t('ui.bot')}</Badge>
    </span>
  );
}
