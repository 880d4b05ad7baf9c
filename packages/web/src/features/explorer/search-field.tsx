import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type FormEvent } from 'react';
import { useWords } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useDoing } from '../../ui/use-doing.ts';
import { useHotkey } from '../../ui/use-hotkey.ts';
import { wantedOf } from './wanted-of.ts';
import { findMarket } from './find-market.ts';

/** One field for a height, a hash, an address or the name of a market. */
export function SearchField() {
  const t = useWords();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const { isBusy, run } = useDoing();
  useHotkey('/', () => field.current?.focus());
  const go = (to: string): void => {
    setTyped('');
    void navigate({ to });
  };
  const find = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wanted = wantedOf(typed);
    if (wanted === undefined) {
      await run(async () => {
        const market = await findMarket(typed);
        if (market === undefined) setFault(t('explorer.searchFault'));
        else go(market);
      });
      return;
    }
    if (wanted.kind === 'block') go(`/explorer/block/${wanted.height}`);
    if (wanted.kind === 'address') go(`/explorer/address/${wanted.address}`);
    if (wanted.kind !== 'hash') return;
    const { hash } = wanted;
    // A hash does not say whether it is of a block; most are of transactions.
    await run(async () => {
      const block = await reader.info.block({ hash }).catch(() => undefined);
      go(block === undefined ? `/explorer/tx/${hash}` : `/explorer/block/${block.height}`);
    });
  };
  return (
    <form
      role="search"
      onSubmit={(event) => void find(event)}
      className="flex w-full gap-2 tablet:w-[480px]"
    >
      <div className="min-w-0 flex-1">
        <TextField
          ref={field}
          label={t('explorer.search')}
          isLabelHidden
          type="search"
          placeholder={t('explorer.search')}
          value={typed}
          fault={fault}
          onChange={(next) => {
            setTyped(next);
            setFault(undefined);
          }}
        />
      </div>
      <Button type="submit" isBusy={isBusy}>
        {t('explorer.find')}
      </Button>
    </form>
  );
}
