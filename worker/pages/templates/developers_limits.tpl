<h1>{{TITLE}}</h1>
<p class="lead">Programs meet failures. Each says what is wrong in a form that programs read, and when to try again.</p>
<h2 id="data-api">Data API</h2>
<p>A response that is not a success has <code>error</code>, a code for programs, and <code>error_description</code>. Each response has <code>X-Request-Id</code>: tell it to the operator of this service if you need help. <a href="{{@DEVELOPERS}}/api#errors">All codes</a> are in the reference, and each operation lists its statuses.</p>
<h2 id="oauth-errors">OAuth</h2>
<p>The token address returns <code>error</code> and <code>error_description</code> as RFC 6749 has them: 400, or 401 with <code>invalid_client</code> if the id or the secret is wrong. If the user does not allow it, the browser comes back with <code>error=access_denied</code> instead of a code.</p>
<h2 id="oembed-statuses">oEmbed</h2>
<dl class="statuses">
{{#OEMBED_STATUS}}<dt>{{NAME}}</dt>
<dd>{{TEXT}}</dd>
{{/OEMBED_STATUS}}</dl>
<h2 id="rates">Rates</h2>
<p>nginx counts these requests for each address; IPv6 addresses by their network (/64). Beyond a limit, the response is 429 with <code>Retry-After</code> in seconds: wait, then send it again. Other operations of the data API have no rate of their own.</p>
<p>A request for tokens or about them counts for its application alone if it has the secret by HTTP Basic, and otherwise for its address. All of an address are at most {{ADDRESS_RATE}}. After {{GUESSES}} wrong secrets for an application from one address within {{GUESS_SECONDS}} seconds, each further request there is a 429 until these seconds are over, also with the right secret. One token may have {{TOKEN_TEXTS}} requests for captions at the same time.</p>
<dl class="options">
{{#LIMIT}}<dt>{{ABOUT}}</dt>
<dd>{{#HAS_RATE}}{{RATE}}, {{BURST}} more at once, {{/HAS_RATE}}{{AT_ONCE}} at the same time<br><span class="meta">{{#PATH}}<code>{{PATTERN}}</code> {{/PATH}}</span></dd>
{{/LIMIT}}</dl>
<h2 id="sizes">Sizes and numbers</h2>
<dl class="options">
<dt>The first line of a request, and each header</dt>
<dd>{{LINE}}; all together four times as much</dd>
<dt>A form for the endpoints of OAuth</dt>
<dd>{{FORM}}</dd>
<dt>An upload</dt>
<dd>{{UPLOAD}}</dd>
{{#SIZE}}<dt>{{OF}}</dt>
<dd>{{MOST}}</dd>
{{/SIZE}}</dl>
<p>The operator of this service may have set others. The lengths of fields are in the <a href="{{@DEVELOPERS}}/api">reference</a>.</p>
<h2 id="outages">Outages</h2>
<p>503 means that a part of the service is unavailable. It has <code>Retry-After</code>. A POST with an <a href="{{@DEVELOPERS}}/api#repetitions">Idempotency-Key</a> may be sent again.</p>
