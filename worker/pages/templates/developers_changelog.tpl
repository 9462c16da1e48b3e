<h1>{{TITLE}}</h1>
<p class="lead">What may change, what is about to end, and what is new in each version of the service, the newest first, for operators and developers.</p>
<h2 id="policy">What may change</h2>
<p>Versions have three numbers, as in 1.4.2. They are those of the service; the data API has one address, <code>/v1</code>.</p>
<table>
<thead><tr><th>What</th><th>Changes</th></tr></thead>
<tbody>
<tr><td>New paths, methods, parameters, fields of responses, values of a field that lists its values, events, headers and media types</td><td>At any time, without notice: your program ignores what it does not know.</td></tr>
<tr><td>Words for people: texts of errors after their code, names of scopes, pages, titles. The order of fields. Bytes of embed codes that mean the same. Ids, cursors, tokens and signed addresses: take them as they are.</td><td>At any time, without notice.</td></tr>
<tr><td>Limits of requests</td><td>At any time; <a href="{{@DEVELOPERS}}/limits">the page about limits</a> has the present ones.</td></tr>
<tr><td>A mistake that is a danger: what opens other people’s films or accounts</td><td>At once. The version says it.</td></tr>
<tr><td>Paths, methods, parameters, fields, their types and meanings, statuses and codes of errors, scopes, embed codes that are on pages, options, methods and events of the player</td><td>They stay. One that has to go is deprecated first, for at least 180 days, and ends in a version whose first number is higher; before 1.0, whose second number is.</td></tr>
</tbody>
</table>
<p>Embed codes on pages do not end: an old code plays.</p>
<h2 id="deprecated">Deprecated</h2>
<p>A response of something that will end has the header <code>Deprecation</code> (RFC 9745) with the time since when it is deprecated, <code>Sunset</code> (RFC 8594) with the earliest time of its end, once that is decided, and a <code>Link</code> with <code>rel="deprecation"</code> to this page. Let your program log them. The <a href="{{@DEVELOPERS}}/api">description</a> marks it with <code>deprecated</code>.</p>
{{#NOTHING_DEPRECATED}}<p>Nothing is deprecated in this version.</p>
{{/NOTHING_DEPRECATED}}<dl>
{{#DEPRECATED}}<dt><code>{{PART}}</code></dt>
<dd>Since {{SINCE}}.{{#SUNSET}} Ends on {{DATE}} at the earliest.{{/SUNSET}} {{INSTEAD}}</dd>
{{/DEPRECATED}}</dl>
{{#VERSION}}<h2 id="version-{{NUMBER}}">{{NUMBER}}</h2>
<p class="meta">{{DATE}}</p>
<ul>
{{#CHANGE}}<li>{{TEXT}}</li>
{{/CHANGE}}</ul>
{{/VERSION}}
