import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The only accent colour. */
const water: MantineColorsTuple = [
  '#e8f6fa',
  '#cfeaf2',
  '#9fd5e5',
  '#6cbfd7',
  '#46adcb',
  '#2a9cbd',
  '#1587a8',
  '#0b6e8c',
  '#085a73',
  '#05465a',
];

const SMALL = { defaultProps: { size: 'xs' } };

export const theme = createTheme({
  primaryColor: 'water',
  primaryShade: 7,
  colors: { water },
  defaultRadius: 5,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: SMALL,
    ActionIcon: { defaultProps: { size: 'md', variant: 'subtle', color: 'gray' } },
    TextInput: SMALL,
    PasswordInput: SMALL,
    NumberInput: SMALL,
    Select: SMALL,
    Textarea: SMALL,
    TagsInput: SMALL,
    SegmentedControl: SMALL,
    Switch: { defaultProps: { size: 'sm' } },
    Tooltip: {
      defaultProps: {
        multiline: true,
        maw: 320,
        openDelay: 200,
        withArrow: true,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
});
