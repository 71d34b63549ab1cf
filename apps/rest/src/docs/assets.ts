export const docsIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3b6ee8"/><path d="M9 12h14M9 20h14" stroke="#fff" stroke-width="3" stroke-linecap="round"/><circle cx="20" cy="12" r="4" fill="#fff"/><circle cx="12" cy="20" r="4" fill="#fff"/></svg>`;

export const docsStyle = `
:root{color-scheme:light dark;--ground:#fff;--text:#171a2b;--soft:#565d76;--line:#d9dce8;--note:#f3f4f8;--accent:#2d55c4}
@media (prefers-color-scheme:dark){:root{--ground:#0e1018;--text:#eceef7;--soft:#a5abc2;--line:#2c3145;--note:#181b27;--accent:#9db6ff}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.bar{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;align-items:baseline;padding:.9rem clamp(1rem,4vw,2.5rem);border-bottom:1px solid var(--line)}
.bar nav{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
.bar strong{font-size:1.1rem;margin-inline-end:auto}
a{color:inherit;text-underline-offset:.18em}
:focus-visible{outline:3px solid #3b6ee8;outline-offset:2px}
[hidden]{display:none}
.errors{max-width:80rem;margin:0 auto;padding:1.5rem clamp(1rem,4vw,2.5rem) 4rem}
h1{margin:.5rem 0}h2{margin:2.2rem 0 .6rem;font-size:1.25rem}.errors h2{font-size:1.15rem}
.reference h2::first-letter,.reference aside h3::first-letter{text-transform:uppercase}
@media (min-width:46.01rem){.errors table{overflow-wrap:break-word}.errors td[data-label] code{overflow-wrap:anywhere}}
.errors nav ul{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;list-style:none;padding:0}
.errors nav a{display:inline-block;padding:.25rem 0}
.errors p{color:var(--soft);max-width:44rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:start;vertical-align:top;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line)}
th{font-size:.84rem;color:var(--soft);font-weight:600}
tr:target,article:target{background:var(--note)}
code,pre,textarea{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.reference{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:84rem;margin:0 auto}
.reference aside{position:sticky;top:0;max-height:100vh;overflow-y:auto;padding:1.2rem 1rem 2rem 1.2rem;font-size:.92rem}
.reference aside label{display:block;margin-bottom:.7rem}
.reference aside h3{margin:1rem 0 .2rem;font-size:.84rem;color:var(--soft)}
.reference aside ul{list-style:none;margin:0;padding:0}
.reference aside li{padding:.1rem 0}
.reference nav>a{display:block;margin-top:.7rem}
.reference main{padding:1rem clamp(1rem,3vw,2.5rem) 4rem;min-width:0}
.prose{max-width:46rem}
article{border-top:1px solid var(--line);padding:.8rem 0 1rem}
.operation{content-visibility:auto;contain-intrinsic-size:auto 60rem}
article h3{margin:.2rem 0;font-size:1.05rem}article h3 a{text-decoration:none}
h4{margin:1rem 0 .2rem;font-size:.92rem;color:var(--soft)}
article td:first-child{width:36%}article em{color:var(--soft);font-size:.84rem}
.type{color:var(--soft)}.type::after{content:" "}
.route{margin:.2rem 0}.method{font:600 .8rem ui-monospace,monospace;text-transform:uppercase;color:var(--accent)}
summary{cursor:pointer;padding:.25rem 0}
pre{background:var(--note);padding:.8rem;border-radius:.4rem;overflow:auto;max-height:28rem;white-space:pre-wrap}
.failures{list-style:none;margin:.2rem 0;padding:0}
.try form{display:grid;gap:.6rem;background:var(--note);padding:1rem;border-radius:.4rem}
.try label{display:block;font-size:.9rem}
input,textarea{width:100%;padding:.4rem .5rem;border:1px solid var(--soft);border-radius:.3rem;background:var(--ground);color:var(--text);font-size:1rem}
input::placeholder{color:var(--soft);opacity:1}
button{justify-self:start;padding:.45rem 1.2rem;border:0;border-radius:.3rem;background:#2d55c4;color:#fff;font:inherit;cursor:pointer}
@media (max-width:46rem){
.reference{display:block}
.reference aside{position:static;max-height:none;padding:1rem clamp(1rem,3vw,2.5rem) .5rem;border-bottom:1px solid var(--line)}
.reference aside nav{display:none}
thead{position:absolute;clip-path:inset(50%)}
tr,td{display:block;border:0;padding:0}
tr{padding:.6rem 0;border-bottom:1px solid var(--line)}
article td:first-child{width:auto}
.errors td:first-child code{font-weight:600}
td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}
}
`;
