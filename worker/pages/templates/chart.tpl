<figure class="chart">
<figcaption>{{CAPTION}}</figcaption>
<div class="plot"><p class="scale" aria-hidden="true"><span>{{TOP}}</span><span>{{HALF}}</span><span>0</span></p>
<svg role="img" aria-label="{{LABEL}}" viewBox="0 0 {{WIDTH}} 100" preserveAspectRatio="none"><path class="grid" d="M0 0h{{WIDTH}}M0 50h{{WIDTH}}M0 100h{{WIDTH}}"/>{{#AREA}}<path class="{{CLASS}}" d="{{PATH}}"/>{{/AREA}}{{#BARS}}<path class="bars" d="{{PATH}}"/>{{/BARS}}</svg>
<p class="times" aria-hidden="true"><span>{{FIRST}}</span><span>{{MIDDLE}}</span><span>{{LAST}}</span></p></div>
</figure>
