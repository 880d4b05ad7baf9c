import { useWords } from '../../../lib/words.ts';

/** Said in place of sending what would be no exit but an order at the market. */
export function FiresNow() {
  return (
    <p role="alert" className="border-s-2 border-warning py-0.5 ps-3 text-12">
      {useWords()('perps.amend.firesNow')}
    </p>
  );
}
