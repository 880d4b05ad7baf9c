import { speak, useLanguage } from '../../lib/words.ts';
import { speakAsChosen } from '../../ui/apply-language.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Group } from './group.tsx';
import { mirroredTexts } from './mirrored-texts.ts';

/** A tag for trials that no person has. */
const MIRRORED = 'en-XB';

/** The whole page as it would be in a script that is written from right to left, until it is loaded again. */
export function Direction() {
  const isMirrored = useLanguage() === MIRRORED;
  const change = async (isOn: boolean): Promise<void> => {
    if (!isOn) return speakAsChosen();
    const { default: english } = await import('../../words/en.json');
    speak(MIRRORED, mirroredTexts(english));
    Object.assign(document.documentElement, { lang: MIRRORED, dir: 'rtl' });
  };
  return (
    <Group title="Direction">
      <Checkbox
        label="From right to left"
        isOn={isMirrored}
        onChange={(isOn) => void change(isOn)}
      />
    </Group>
  );
}
