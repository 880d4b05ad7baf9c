import { useEffect, useState } from 'react';
import { useWords } from '../lib/words.ts';
import { Button } from './button.tsx';

const SAID_MS = 1_500;

/** Puts a text into the clipboard, and says that it did. */
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
