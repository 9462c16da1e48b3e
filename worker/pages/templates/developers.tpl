<div class="guide">
<nav class="guides" aria-label="For developers">
{{#GROUP}}{{#NAMED}}<p>{{GROUP_NAME}}</p>
{{/NAMED}}<ul>
{{#GUIDE}}<li><a href="{{PATH}}"{{#CURRENT}} aria-current="page"{{/CURRENT}}>{{TITLE}}</a></li>
{{/GUIDE}}</ul>
{{/GROUP}}</nav>
<details class="guides-menu"><summary>For developers: {{CURRENT_TITLE}}</summary>
<nav aria-label="For developers, menu">
{{#GROUP}}{{#NAMED}}<p>{{GROUP_NAME}}</p>
{{/NAMED}}<ul>
{{#GUIDE}}<li><a href="{{PATH}}"{{#CURRENT}} aria-current="page"{{/CURRENT}}>{{TITLE}}</a></li>
{{/GUIDE}}</ul>
{{/GROUP}}</nav></details>
<article>
{{ARTICLE}}
<nav class="next-guides" aria-label="Previous and next">
{{#BEFORE}}<a rel="prev" href="{{PATH}}"><span class="meta">Previous</span> {{TITLE}}</a>
{{/BEFORE}}{{#AFTER}}<a rel="next" href="{{PATH}}"><span class="meta">Next</span> {{TITLE}}</a>
{{/AFTER}}</nav>
</article>
{{#CONTENTS}}<nav class="contents" aria-labelledby="contents"><p id="contents">On this page</p>
<ul>
{{#HEADING}}<li><a href="#{{PLACE}}">{{TITLE}}</a></li>
{{/HEADING}}</ul></nav>
{{/CONTENTS}}</div>
