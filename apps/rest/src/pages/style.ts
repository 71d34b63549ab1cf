import type { Accent } from './accent.js';

/**
 * The only style sheet of the hosted pages, inlined and allowed in the policy by its hash: no external
 * request.
 */
export const styleOf = ({ light, dark }: Readonly<Record<'light' | 'dark', Accent>>): string => `
:root{color-scheme:light dark;--accent:${light.color};--on-accent:${light.textColor};
--ground:#f3f4f8;--card:#fff;--text:#171a2b;--soft:#565d76;--line:#d9dce8;--edge:#8a90a8;--field:#fff;
--good:#12724a;--good-ground:#e4f5ec;--bad:#b3261e;--bad-ground:#fdecea;--note-ground:#eef0f8;--focus:#1d4ed8}
@media (prefers-color-scheme:dark){:root{--accent:${dark.color};--on-accent:${dark.textColor};
--ground:#0e1018;--card:#181b27;--text:#eceef7;--soft:#a5abc2;--line:#2c3145;--edge:#6d7492;--field:#11131d;
--good:#6fdcab;--good-ground:#12301f;--bad:#ffb4ab;--bad-ground:#3b1614;--note-ground:#20242f;--focus:#9db8ff}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100svh;display:flex;flex-direction:column;align-items:center;background:var(--ground);
color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",sans-serif;padding:clamp(1rem,6vh,4rem) 1rem 1.5rem}
header,main,footer{width:100%;max-width:29rem}
header{display:flex;align-items:center;gap:.75rem;margin:0 0 1.1rem;padding:0 .25rem;font-weight:600;overflow-wrap:anywhere}
main{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:clamp(1.35rem,5vw,2.1rem);
box-shadow:0 1px 2px rgb(10 14 40/.05),0 12px 32px rgb(10 14 40/.07);overflow-wrap:anywhere}
footer{margin-top:auto;padding:1.5rem .25rem 0;color:var(--soft);font-size:.84rem;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem}
footer p{margin:0;flex:1 1 100%}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.012em;margin:0 0 .5rem;text-wrap:balance}
h2{font-size:.95rem;margin:1.6rem 0 .5rem;text-wrap:balance}
p{margin:0 0 .9rem}
.lead{color:var(--soft)}.lead b,.lead bdi{color:var(--text)}
bdi{font-weight:600}
a{color:inherit;text-underline-offset:.18em}
.tile{flex:none;display:grid;place-items:center;width:2.6rem;height:2.6rem;border-radius:.75rem;background:var(--note-ground);
border:1px solid var(--line);font-weight:700;font-size:1.1rem}
header .tile{background:var(--accent);color:var(--on-accent);border-color:transparent}
header img{flex:none;width:2.6rem;height:2.6rem;object-fit:contain;border-radius:.75rem}
.choices{list-style:none;margin:1.3rem 0 0;padding:0;display:grid;gap:.65rem}
h2+.choices{margin-top:.6rem}
.choices a{display:flex;align-items:center;gap:.9rem;padding:.85rem 1rem;border:1px solid var(--line);border-radius:.85rem;text-decoration:none}
.choices a:hover{border-color:var(--edge);background:var(--note-ground)}
.choices .of{flex:1}.choices strong{display:block}.choices small{color:var(--soft);font-size:.875rem;line-height:1.4;display:block}
.choices svg{flex:none;color:var(--soft)}
.search{margin:1.2rem 0 0}.search div{display:flex;gap:.5rem}.search button{width:auto;flex:none}
.all{margin:1rem 0 0}
.allowed{list-style:none;margin:0 0 .7rem;padding:0;display:grid;gap:.5rem}
.allowed li{display:flex;gap:.65rem}.allowed svg{flex:none;margin-top:.2rem;color:var(--good)}
details{margin:.4rem 0 0}
summary{cursor:pointer;padding:.35rem 0;color:var(--soft)}summary:hover{color:var(--text)}
.words summary{font-size:.875rem}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.words ul{margin:.3rem 0 0;padding-left:1.2rem;font-size:.9rem}
.other{border-top:1px solid var(--line);margin-top:1.5rem;padding-top:.9rem}
.other summary{font-weight:600;color:var(--text)}
form{margin:1.3rem 0 0}
.field{margin:0 0 1.1rem}
label{display:block;font-weight:600;margin-bottom:.2rem}label small{font-weight:400;color:var(--soft)}
.hint{color:var(--soft);font-size:.9rem;line-height:1.45;margin:0 0 .4rem}
input,textarea{width:100%;min-height:3rem;padding:.6rem .85rem;font:inherit;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:.7rem}
input::placeholder{color:var(--soft);opacity:.75}
textarea{display:block;resize:vertical}
input[aria-invalid],textarea[aria-invalid]{border-color:var(--bad);border-width:2px}
.wrong{color:var(--bad);font-size:.9rem;margin:.35rem 0 0}
button,.button{display:block;width:100%;min-height:3.1rem;padding:.75rem 1.1rem;border:1px solid transparent;border-radius:.75rem;
background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;line-height:1.4;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{box-shadow:inset 0 0 0 10rem rgb(127 127 127/.16)}
.quiet{background:transparent;color:var(--text);border-color:var(--line)}
.after{display:grid;gap:.6rem;margin-top:1.5rem;padding-top:1.3rem;border-top:1px solid var(--line)}.after form{margin:0}
.note{background:var(--note-ground);border-radius:.75rem;padding:.75rem .95rem;margin:1.1rem 0 0;font-size:.925rem}
.alert{background:var(--bad-ground);border-inline-start:4px solid var(--bad);border-radius:.6rem;padding:.8rem 1rem;margin:0 0 1.3rem}
.alert p{margin:0}.alert p+p{margin-top:.35rem;font-size:.925rem}.alert strong{color:var(--bad)}
.mark{display:grid;place-items:center;width:3.4rem;height:3.4rem;border-radius:50%;margin:0 0 1.1rem;background:var(--note-ground);color:var(--soft)}
.mark.good{background:var(--good-ground);color:var(--good)}.mark.bad{background:var(--bad-ground);color:var(--bad)}
.account{display:flex;align-items:center;gap:.85rem;border:1px solid var(--line);border-radius:.85rem;padding:.85rem 1rem;margin:1.2rem 0}
.account strong,.account .what{display:block}.account .what{color:var(--soft);font-size:.9rem}
.client{background:var(--note-ground);border-radius:.85rem;padding:.85rem 1rem;margin:1.1rem 0}
.client p{margin:0 0 .6rem;font-size:.925rem}.client dl{margin:0;display:grid;grid-template-columns:auto 1fr;gap:.25rem .9rem}
.client dt{color:var(--soft);font-size:.9rem}.client dd{margin:0;font-weight:600}
.profiles{margin:.3rem 0 0;padding-left:1.2rem}
h3{font-size:.875rem;margin:1.1rem 0 .4rem;color:var(--soft)}
.plain{font-weight:400}
.facts{display:grid;grid-template-columns:auto 1fr;gap:.25rem .9rem;margin:.9rem 0}
.facts dt{color:var(--soft);font-size:.9rem}.facts dd{margin:0;white-space:pre-line}.facts small{color:var(--soft)}
.delivery{border-top:1px solid var(--line);margin-top:1.5rem;padding-top:.3rem}
.delivery h2{font-size:inherit;font-weight:400;margin:0}
.text{white-space:pre-wrap;border-inline-start:3px solid var(--edge);padding-inline-start:.9rem;margin:.9rem 0 .3rem}
.count{color:var(--soft);font-size:.84rem}
figure{margin:.9rem 0}figcaption{color:var(--soft);font-size:.875rem;margin-top:.35rem}
figure img,figure video{display:block;max-width:100%;height:auto;border-radius:.7rem;border:1px solid var(--line)}
.lines{list-style:none;margin:.4rem 0;padding:0}
.lines li{display:flex;justify-content:space-between;gap:1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
.lines li>bdi{white-space:nowrap}.lines small{display:block;color:var(--soft);font-size:.875rem}
.lines .total{font-weight:700;border:0}
.reject summary{min-height:3.1rem;padding:.75rem 1.1rem;border:1px solid var(--line);border-radius:.75rem;text-align:center;font-weight:600;color:var(--text)}
.reject form{margin-top:1rem}.danger{background:var(--bad-ground);color:var(--bad);border-color:var(--bad)}
.note+button{margin-top:1.1rem}
.accounts{list-style:none;margin:.9rem 0 1.2rem;padding:0;display:grid;gap:.6rem}
.accounts label{display:flex;align-items:center;gap:.9rem;padding:.8rem 1rem;margin:0;border:1px solid var(--line);border-radius:.85rem;cursor:pointer}
.accounts label:hover{border-color:var(--edge);background:var(--note-ground)}
.accounts label:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.accounts input{flex:none;width:1.35rem;height:1.35rem;min-height:0;margin:0;padding:0;accent-color:var(--accent)}
.accounts .of{flex:1;min-width:0}.accounts strong,.accounts small{display:block}.accounts small{color:var(--soft);font-size:.9rem}
.accounts small bdi{font-weight:400}
.accounts .has{color:var(--good);font-weight:600;margin-top:.15rem}
fieldset{border:0;margin:0;padding:0;min-width:0}
legend{padding:0;font-weight:600;font-size:.95rem}
.until{color:var(--soft);font-size:.84rem;margin:1.1rem 0 0}
.reference{color:var(--soft);font-size:.84rem;margin:1.3rem 0 0}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
@media (forced-colors:active){button,.button,.tile,.mark,input,textarea{border:1px solid}}
@media (max-width:26rem){body{padding-inline:.7rem}.client dl,.facts{grid-template-columns:1fr;gap:0}.client dd+dt,.facts dd+dt{margin-top:.5rem}.choices a{gap:.6rem;padding-inline:.75rem}}
`;
