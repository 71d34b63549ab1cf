const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** The formats of the document; times are in UTC (SPEC, chapter 4). */
export const formats = {
  'date-time': (text: string) => TIME.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  uri: (text: string) => URL.canParse(text),
  email: (text: string) => /^[^@\s]+@[^@\s]+$/.test(text),
  binary: true,
  password: true,
} as const;
